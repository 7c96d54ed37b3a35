// Statements of the text form: graph, input, constant, operator, output.
#include "mfc/IR/Parser.h"

#include "ParserBase.h"
#include "mfc/IR/Tensor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mfc;

/// Far above any microcontroller's Flash; keeps "i8[999999999] = splat 0" from taking the machine's memory.
constexpr uint64_t kLargestConstant = uint64_t(1) << 28;

namespace {

class Parser : public ParserBase {
public:
  using ParserBase::ParserBase;
  std::vector<Graph> parse();

private:
  Graph graph;
  /// Null: the statement that should define the name had an error, so uses of it stay silent.
  llvm::StringMap<Value *> values;

  bool parseGraphHeader();
  void parseBody();
  bool parseStatement();
  bool parseOutput();
  bool parseDefinition();
  bool parseInput(const Token &name);
  bool parseConstant(const Token &name);
  bool parseContents(const TensorType &type, std::vector<uint8_t> &bytes);
  bool parseElement(Tensor &element);
  bool parseHex(std::vector<uint8_t> &bytes, uint64_t wanted);
  bool parseOperation(llvm::ArrayRef<Token> names, const Token &opToken);
  bool parseOperands(const OpInfo &info, const Token &opToken, std::vector<Value *> &operands);
  bool parseAttributes(const OpInfo &info, Attributes &attributes);
  bool parseAttribute(const OpInfo &info, Attributes &attributes);
  bool parseLocation(Location &loc);
  bool lookUp(const Token &name, Value *&value);
  void define(const Token &name, Value *value);
  void skipStatement();
  bool atStatement() const;
};

//===-- Names ----------------------------------------------------------------------------------------------------===//

/// False without a message if the name's own statement had the error.
bool Parser::lookUp(const Token &name, Value *&value) {
  auto it = values.find(name.text);
  if (it == values.end())
    return error(name) << "'%" << name.text << "' is not defined before this line";
  value = it->second;
  return value != nullptr;
}

void Parser::define(const Token &name, Value *value) {
  if (!values.try_emplace(name.text, value).second)
    error(name) << "'%" << name.text << "' is defined twice";
}

/// Goes on behind a faulty statement, at the next line that could start one. The names that it would have
/// defined count as known.
void Parser::skipStatement() {
  for (size_t i = statementBegin; tokens[i].kind == TokenKind::Value; i += 2) {
    values.try_emplace(tokens[i].text, nullptr);
    if (!tokens[i + 1].is(','))
      break;
  }
  if (next == statementBegin)
    take();
  while (peek().kind != TokenKind::End && !atStatement())
    take();
}

bool Parser::atStatement() const {
  const Token &token = peek();
  return token.startsLine &&
         (token.kind == TokenKind::Value || token.is('}') || token.isWord("output") || token.isWord("graph"));
}

//===-- Operators ------------------------------------------------------------------------------------------------===//

static std::string operandCountText(const OpInfo &info) {
  if (info.maxOperands < 0)
    return std::to_string(info.minOperands) + " or more";
  if (info.minOperands == info.maxOperands)
    return std::to_string(info.minOperands);
  return std::to_string(info.minOperands) + " to " + std::to_string(info.maxOperands);
}

/// An operand that is not known is null; the rest of the statement is still checked.
bool Parser::parseOperands(const OpInfo &info, const Token &opToken, std::vector<Value *> &operands) {
  bool more = peek().kind == TokenKind::Value && !peek().startsLine;
  while (more) {
    if (peek().kind != TokenKind::Value)
      return expected(peek(), "an operand");
    lookUp(take(), operands.emplace_back());
    more = takeIf(',');
  }
  int count = static_cast<int>(operands.size());
  if (count < info.minOperands || (info.maxOperands >= 0 && count > info.maxOperands))
    return error(opToken) << info.name << " has " << count << " operands, expected " << operandCountText(info);
  return true;
}

bool Parser::parseAttribute(const OpInfo &info, Attributes &attributes) {
  const Token &key = peek();
  if (key.kind != TokenKind::Identifier)
    return expected(key, "the name of an attribute");
  take();
  bool found = false, good = true;
  std::string known;
  std::visit(
      [&](auto &a) {
        a.visit([&](const char *name, auto &field) {
          known += (known.empty() ? "" : ", ") + std::string(name);
          if (key.text != name)
            return;
          found = true;
          good = expect('=') && parseField(field);
        });
      },
      attributes);
  if (found)
    return good;
  return error(key) << info.name << " has no attribute '" << key.text << "'; it has "
                    << (known.empty() ? "none" : known);
}

bool Parser::parseAttributes(const OpInfo &info, Attributes &attributes) {
  attributes = info.defaultAttrs;
  if (!takeIf('{') || takeIf('}'))
    return true;
  std::vector<llvm::StringRef> seen;
  do {
    const Token &key = peek();
    if (llvm::is_contained(seen, key.text))
      return error(key) << "attribute '" << key.text << "' is given twice";
    seen.push_back(key.text);
    if (!parseAttribute(info, attributes))
      return false;
  } while (takeIf(','));
  return expect('}');
}

/// loc("node", 17, tensor "name", byte 1234): everything behind the node is optional.
bool Parser::parseLocation(Location &loc) {
  int64_t index = -1;
  if (!takeIf("loc"))
    return true;
  if (!expect('(') || !parseString(loc.node))
    return false;
  while (takeIf(',')) {
    if (takeIf("tensor")) {
      if (!parseString(loc.tensor))
        return false;
    } else if (takeIf("byte")) {
      if (!parseInteger(loc.byteOffset, 0, INT64_MAX, "a byte offset"))
        return false;
    } else {
      if (!parseInteger(index, 0, INT32_MAX, "a node number"))
        return false;
      loc.nodeIndex = static_cast<int>(index);
    }
  }
  return expect(')');
}

bool Parser::parseOperation(llvm::ArrayRef<Token> names, const Token &opToken) {
  std::optional<OpKind> kind = opKindFromName(opToken.text);
  if (!kind)
    return error(opToken) << "'" << opToken.text << "' is not an operator";
  const OpInfo &info = opInfo(*kind);
  std::vector<Value *> operands;
  Attributes attributes;
  if (!parseOperands(info, opToken, operands) || !parseAttributes(info, attributes) || !expect(':'))
    return false;
  std::vector<TensorType> types;
  std::vector<std::string> resultNames;
  do {
    if (!parseType(types.emplace_back()) || !parseOptionalString(resultNames.emplace_back()))
      return false;
  } while (takeIf(','));
  if (types.size() != names.size())
    return error(names[0]) << "the line names " << names.size() << " results and has " << types.size() << " types";
  Location loc = locationOf(names[0]);
  if (!parseLocation(loc) || llvm::is_contained(operands, nullptr))
    return false;
  Operation *op = graph.addOp(*kind, operands, std::move(attributes), types, std::move(loc));
  for (size_t i = 0; i < names.size(); ++i) {
    op->result(i)->name = std::move(resultNames[i]);
    define(names[i], op->result(i));
  }
  return true;
}

//===-- Inputs and constants -------------------------------------------------------------------------------------===//

bool Parser::parseInput(const Token &name) {
  std::string tensorName;
  TensorType type;
  if (!parseOptionalString(tensorName) || !expect(':') || !parseType(type))
    return false;
  define(name, graph.addInput(std::move(type), std::move(tensorName)));
  return true;
}

bool Parser::parseElement(Tensor &element) {
  if (isFloat(element.type.element)) {
    float value = 0;
    if (!parseReal(value))
      return false;
    element.set<float>(0, value);
    return true;
  }
  int64_t value = 0;
  // A bool that holds something else than 0 and 1 is the verifier's matter.
  int64_t max = element.type.element == ElementType::Bool ? 255 : elementMax(element.type.element);
  if (!parseInteger(value, elementMin(element.type.element), max, "an element of type " + elementName(element.type.element)))
    return false;
  element.setInteger(0, value);
  return true;
}

bool Parser::parseHex(std::vector<uint8_t> &bytes, uint64_t wanted) {
  if (peek().kind != TokenKind::String)
    return expected(peek(), "a string of hexadecimal digits");
  const Token &token = take();
  std::string decoded;
  if (token.text.size() % 2 || !llvm::tryGetFromHex(token.text, decoded))
    return error(token) << "expected two hexadecimal digits for each byte";
  if (decoded.size() != wanted)
    return error(token) << "constant has " << decoded.size() << " bytes, its type needs " << wanted;
  bytes.assign(decoded.begin(), decoded.end());
  return true;
}

bool Parser::parseContents(const TensorType &type, std::vector<uint8_t> &bytes) {
  const Token &start = peek();
  if (takeIf("hex"))
    return parseHex(bytes, type.bytes());
  if (takeIf("elided"))
    return error(start) << "the contents of this constant are left out; print the graph without --elide-constants";
  Tensor element(TensorType{type.element, {}, {}});
  if (takeIf("splat")) {
    if (!parseElement(element))
      return false;
    for (int64_t i = 0, count = type.count(); i < count; ++i)
      bytes.insert(bytes.end(), element.bytes.begin(), element.bytes.end());
    return true;
  }
  if (!takeIf('['))
    return expected(start, "the contents of the constant: a list, splat or hex");
  if (!takeIf(']')) {
    do {
      if (!parseElement(element))
        return false;
      bytes.insert(bytes.end(), element.bytes.begin(), element.bytes.end());
    } while (takeIf(','));
    if (!expect(']'))
      return false;
  }
  if (bytes.size() != type.bytes())
    return error(start) << "constant has " << bytes.size() / elementBytes(type.element) << " elements, its type needs "
                        << type.count();
  return true;
}

bool Parser::parseConstant(const Token &name) {
  std::string tensorName;
  TensorType type;
  if (!parseOptionalString(tensorName) || !expect(':'))
    return false;
  const Token &typeToken = peek();
  if (!parseType(type))
    return false;
  if (!elementCount(type.shape))
    return error(typeToken) << "the shape of a constant must be known";
  if (type.bytes() > kLargestConstant)
    return error(typeToken) << "constant has " << type.bytes() << " bytes, the limit is " << kLargestConstant;
  std::vector<uint8_t> bytes;
  if (!expect('=') || !parseContents(type, bytes))
    return false;
  define(name, graph.addConstant(std::move(type), std::move(bytes), std::move(tensorName)));
  return true;
}

//===-- Statements -----------------------------------------------------------------------------------------------===//

bool Parser::parseOutput() {
  const Token &name = peek();
  Value *value = nullptr;
  std::string outputName;
  if (name.kind != TokenKind::Value)
    return expected(name, "the value to output");
  take();
  if (!lookUp(name, value) || !parseOptionalString(outputName))
    return false;
  graph.addOutput(value, std::move(outputName));
  return true;
}

bool Parser::parseDefinition() {
  std::vector<Token> names;
  do {
    if (peek().kind != TokenKind::Value)
      return expected(peek(), "the name of a result");
    names.push_back(take());
  } while (takeIf(','));
  if (!expect('='))
    return false;
  const Token &word = peek();
  if (word.kind != TokenKind::Identifier)
    return expected(word, "input, constant or an operator");
  take();
  bool isLeaf = word.text == "input" || word.text == "constant";
  if (isLeaf && names.size() != 1)
    return error(names[1]) << word.text << " defines one value";
  if (!isLeaf)
    return parseOperation(names, word);
  return word.text == "input" ? parseInput(names[0]) : parseConstant(names[0]);
}

bool Parser::parseStatement() {
  bool good = false;
  if (peek().kind == TokenKind::Value)
    good = parseDefinition();
  else if (takeIf("output"))
    good = parseOutput();
  else
    return expected(peek(), "a value to define, 'output' or '}'");
  bool atEnd = peek().startsLine || peek().is('}') || peek().kind == TokenKind::End;
  if (good && !atEnd)
    return expected(peek(), "the end of the line");
  return good;
}

/// Up to the closing brace, or to the next graph if there is none.
void Parser::parseBody() {
  while (!peek().is('}')) {
    if (peek().kind == TokenKind::End || (peek().startsLine && peek().isWord("graph"))) {
      expected(peek(), "'}' at the end of graph '" + graph.name + "'");
      return;
    }
    statementBegin = next;
    if (!parseStatement())
      skipStatement();
  }
  take();
}

bool Parser::parseGraphHeader() {
  statementBegin = next;
  if (!takeIf("graph"))
    return expected(peek(), "'graph'");
  if (peek().kind != TokenKind::Symbol)
    return expected(peek(), "the name of the graph, as in '@kws'");
  graph.name = take().text.str();
  if (graph.name.empty() && !parseString(graph.name))
    return false;
  return expect('{');
}

std::vector<Graph> Parser::parse() {
  std::vector<Graph> graphs;
  while (peek().kind != TokenKind::End || graphs.empty()) {
    graph = Graph();
    graph.file = fileName.str();
    values.clear();
    if (!parseGraphHeader())
      return graphs;
    parseBody();
    graphs.push_back(std::move(graph));
  }
  return graphs;
}

} // namespace

std::optional<std::vector<Graph>> mfc::parseGraphs(llvm::StringRef text, llvm::StringRef fileName,
                                                   DiagnosticEngine &diag) {
  unsigned errorsBefore = diag.errorCount();
  std::vector<Graph> graphs = Parser(text, fileName, diag).parse();
  if (diag.errorCount() != errorsBefore)
    return std::nullopt;
  return graphs;
}

std::optional<Graph> mfc::parseGraph(llvm::StringRef text, llvm::StringRef fileName, DiagnosticEngine &diag) {
  std::optional<std::vector<Graph>> graphs = parseGraphs(text, fileName, diag);
  if (!graphs)
    return std::nullopt;
  if (graphs->size() != 1) {
    Location loc;
    loc.file = fileName.str();
    diag.error(ErrorClass::BadModel, loc) << "found " << graphs->size() << " graphs, expected one";
    return std::nullopt;
  }
  return std::move(graphs->front());
}
