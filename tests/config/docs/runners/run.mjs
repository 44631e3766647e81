// Run programs in this process: `run.mjs FOLDER` prints JSON, the name of each program → what it prints.
import { readdirSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, print, printed] = [resolve(process.argv[2]), console.log, {}];
for (const file of readdirSync(folder).filter((name) => name.endsWith(".mjs")).sort()) {
    console.log = (...values) => (printed[basename(file, ".mjs")] = values.join(" "));
    await import(pathToFileURL(`${folder}/${file}`));
}
print(JSON.stringify(printed));
