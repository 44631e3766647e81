// Compile and run programs in this process: `Run.java FOLDER` prints the name of each program and what it prints, one a line.
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

public class Run {
    public static void main(String[] arguments) throws Exception {
        PrintStream screen = System.out;
        File folder = new File(arguments[0]);
        File[] files = folder.listFiles((parent, name) -> name.endsWith(".java"));
        String[] paths = Arrays.stream(files).map(File::getPath).toArray(String[]::new);
        String[] options = Stream.concat(Stream.of("-proc:none"), Arrays.stream(paths)).toArray(String[]::new);
        int failed = ToolProvider.getSystemJavaCompiler().run(null, null, null, options);
        if (failed != 0) System.exit(failed);
        ClassLoader loader = new URLClassLoader(new URL[] {folder.toURI().toURL()});
        for (File file : files) {
            String name = file.getName().replace(".java", "");
            ByteArrayOutputStream output = new ByteArrayOutputStream();
            System.setOut(new PrintStream(output));
            loader.loadClass(name).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            screen.println(name + " " + output.toString().replace("\n", " "));
        }
    }
}
