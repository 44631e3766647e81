<?php // Run programs in this process: `run.php FOLDER` prints JSON, the name of each program → what it prints.
function output_of(string $path): string
{
    ob_start();
    include $path;
    return ob_get_clean();
}

$printed = [];
foreach (glob("$argv[1]/*.php") as $path) {
    $printed[basename($path, '.php')] = output_of($path);
}
echo json_encode($printed);
