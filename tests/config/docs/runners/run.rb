# Run programs in this process: `run.rb FOLDER` prints JSON, the name of each program → what it prints.
require "json"
require "stringio"

printed = Dir["#{ARGV[0]}/*.rb"].sort.to_h do |path|
  $stdout = StringIO.new
  load path, true # in a module of its own
  [File.basename(path, ".rb"), $stdout.string]
end
$stdout = STDOUT
puts printed.to_json
