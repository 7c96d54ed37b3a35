// Names of outputs and their contents; the naming rules are in docs/cli.md.
#include "mfc/Driver/Outputs.h"
#include "Remarks.h"
#include "mfc/Driver/Compile.h"
#include "mfc/Emit/Names.h"
#include "mfc/Emit/Writers.h"
#include "mfc/Support/ClassifiedError.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace mfc;
namespace path = llvm::sys::path;

namespace {

/// --stop-after ends in the graph, whatever --emit says.
OutputKind outputKind(const CompileOptions &options) {
  return options.stopAfter.empty() ? options.emit : OutputKind::Graph;
}

std::string beside(llvm::StringRef primary, const llvm::Twine &name) {
  llvm::SmallString<128> file(path::parent_path(primary));
  path::append(file, name);
  return file.str().str();
}

llvm::StringRef ending(OutputKind kind) {
  switch (kind) {
  case OutputKind::Library:
    return ".a";
  case OutputKind::Graph:
    return ".mfcir";
  case OutputKind::LLVM:
    return ".ll";
  case OutputKind::Assembly:
    return ".s";
  case OutputKind::Object:
    return ".o";
  }
  return "";
}

/// What make and ninja read; https://www.gnu.org/software/make/manual "Rule Syntax" has the
/// escapes.
std::string escapeForMake(llvm::StringRef file) {
  std::string text;
  for (char c : file) {
    if (c == ' ' || c == '#' || c == '\t' || c == ':')
      text += '\\';
    text += c;
    if (c == '$')
      text += '$';
  }
  return text;
}

/// The primary file comes first: ninja wants to see the first output of its rule there.
std::string depfileText(const CompileOptions &options, const OutputNames &names,
                        llvm::ArrayRef<std::string> filesRead) {
  std::string text = escapeForMake(names.primary);
  for (const std::string &file : names.files())
    if (file != names.depfile && file != names.primary)
      text += " " + escapeForMake(file);
  text += ":";
  for (const std::string &input : {options.model, options.budgetFile})
    if (!input.empty() && input != "-")
      text += " \\\n  " + escapeForMake(input);
  for (const std::string &file : filesRead)
    text += " \\\n  " + escapeForMake(file);
  return text + "\n";
}

void protectInputs(const CompileOptions &options, OutputFiles &files) {
  files.protect(options.model);
  if (!options.budgetFile.empty())
    files.protect(options.budgetFile);
}

} // namespace

llvm::Expected<std::string> mfc::modelName(const CompileOptions &options) {
  if (!options.name.empty())
    return modelIdentifier(options.name, "--name");
  if (!options.output.empty() && !isDeviceOutput(options.output)) {
    llvm::StringRef stem = path::stem(options.output);
    if (stem.size() > 3)
      stem.consume_front("lib");
    return modelIdentifier(stem, "from -o '" + options.output + "'");
  }
  if (options.model == "-")
    return std::string("model");
  return modelIdentifier(path::stem(options.model), "from '" + options.model + "'");
}

std::vector<std::string> OutputNames::files() const {
  std::vector<std::string> list;
  for (const std::string *file :
       {&header, &linkerFragment, &report, &source, &record, &htmlReport, &jsonReport, &depfile, &primary})
    if (!file->empty())
      list.push_back(*file);
  return list;
}

llvm::Expected<OutputNames> mfc::outputNames(const CompileOptions &options) {
  OutputNames names;
  OutputKind kind = outputKind(options);
  llvm::StringRef output = options.output;
  if (output.ends_with("/"))
    return makeError(ErrorClass::Usage, "-o '" + output + "' names a folder, wanted a file");
  llvm::Expected<std::string> name = modelName(options);
  if (!name)
    return name.takeError();
  names.model = *name;
  names.primary = !output.empty()
                      ? output.str()
                      : (kind == OutputKind::Library ? "lib" : "") + *name + ending(kind).str();
  bool device = isDeviceOutput(names.primary);
  names.stem = beside(device ? "" : names.primary, *name);
  if (kind == OutputKind::Library) {
    if (names.primary == "-")
      return makeError(ErrorClass::Usage,
                       "-o - cannot take the four files of a library, choose one "
                       "output with --emit=");
    // A device takes all four: nothing is created beside /dev/null.
    names.header = device ? names.primary : names.stem + ".h";
    names.linkerFragment = device ? names.primary : names.stem + ".ld";
    names.report = device ? names.primary : names.stem + ".json";
  }
  if (options.writeDepfile || !options.depfile.empty()) {
    llvm::SmallString<128> file(device ? names.stem : names.primary);
    path::replace_extension(file, ".d");
    names.depfile = options.depfile.empty() ? file.str().str() : options.depfile;
  }
  if (options.debugInfo && !device && kind != OutputKind::Graph)
    names.source = names.stem + ".mfcir";
  names.htmlReport = options.htmlReport;
  names.jsonReport = options.jsonReport;
  if (options.saveRecord)
    names.record = options.recordFile.empty() ? names.stem + ".opt.yaml" : options.recordFile;
  return names;
}

llvm::Error mfc::checkOutputs(const CompileOptions &options, const OutputNames &names) {
  OutputFiles probe;
  protectInputs(options, probe);
  std::vector<std::string> files = names.files();
  for (auto file = files.rbegin(); file != files.rend(); ++file) // first what the user named
    probe.add(*file, "");
  return probe.check();
}

OutputFiles mfc::collectReports(const CompileOptions &options, const OutputNames &names,
                                const CompiledModel &compiled) {
  OutputFiles out;
  protectInputs(options, out);
  if (!names.htmlReport.empty())
    out.add(names.htmlReport, writeHtmlReport(compiled.info));
  if (!names.jsonReport.empty())
    out.add(names.jsonReport, writeReport(compiled.info));
  return out;
}

llvm::Expected<OutputFiles> mfc::collectOutputs(const CompileOptions &options,
                                                const OutputNames &names,
                                                const CompiledModel &compiled) {
  OutputFiles out = collectReports(options, names, compiled);
  for (const std::string &file : compiled.filesRead)
    out.protect(file);
  if (options.saveTemps) {
    for (const TextProduct &product : compiled.temporaries)
      out.add(names.stem + product.ending, product.contents);
    for (const LibraryObject &object : compiled.objects)
      out.add(beside(names.stem, object.name),
              std::string(object.code.bytes.begin(), object.code.bytes.end()));
  }
  if (!names.source.empty())
    out.add(names.source, compiled.source);
  if (!names.record.empty())
    out.add(names.record, remarksYaml(compiled.info.decisions, names.model));
  if (!names.depfile.empty())
    out.add(names.depfile, depfileText(options, names, compiled.filesRead));
  switch (outputKind(options)) {
  case OutputKind::Library: {
    llvm::Expected<LibraryFiles> files = writeLibrary(compiled.info, compiled.objects);
    if (!files)
      return files.takeError();
    out.add(names.header, std::move(files->header));
    out.add(names.linkerFragment, std::move(files->linkerFragment));
    out.add(names.report, std::move(files->report));
    out.add(names.primary, std::move(files->archive)); // last: see OutputFiles.h
    break;
  }
  case OutputKind::Object: {
    const auto &bytes = compiled.objects.front().code.bytes;
    out.add(names.primary, std::string(bytes.begin(), bytes.end()));
    break;
  }
  case OutputKind::Graph:
  case OutputKind::LLVM:
  case OutputKind::Assembly:
    out.add(names.primary, compiled.text);
    break;
  }
  return out;
}
