// Makes what a source file of the package does while it is loaded removable, where nothing uses it.
//
// The package promises that an import costs only what is used of it (`"sideEffects": false`). A bundler keeps that promise
// for the parts of a file where it knows which statements may go: it takes `/* @__PURE__ */` for the word of the author, and
// has it for calls only. So each constant that is more than a literal becomes the result of a marked call. By this rule a
// file of pkg/src does nothing else at its top level: a statement that runs there fails the build.
import ts from 'typescript-5.4';

/** Files that run when they are loaded: programs. */
const PROGRAMS = /\/devtools\//;

/** The file's text with every constant of its top level removable. Lines stay as they are, so that source maps hold. */
export function withPureConstants(path, text) {
  if (PROGRAMS.test(path)) return text;
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const inserts = [];
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement)) {
      for (const { name, initializer } of statement.declarationList.declarations) {
        if (!ts.isIdentifier(name)) throw stays(statement);
        if (initializer === undefined || isPure(initializer)) continue;
        // A function in between would be compiled at import, for nothing.
        if (isPureWhenMarked(initializer)) inserts.push([initializer.getStart(), '/* @__PURE__ */ ']);
        else inserts.push([initializer.getStart(), '/* @__PURE__ */ (() => ('], [initializer.end, '))()']);
      }
    } else if (ts.isClassDeclaration(statement)) {
      if (statement.members.some((member) => runs(member))) throw stays(statement);
      // Rolldown keeps a class whose static fields call something, marked or not, and every class that extends one; Terser
      // keeps one that has a member such as `[Symbol.iterator]`.
      if (!statement.members.some((member) => calls(member) || isNamedByProperty(member))) continue;
      const begin = statement.getChildren().find(({ kind }) => kind === ts.SyntaxKind.ClassKeyword);
      const { text: name, end } = statement.name;
      // The name of a class without one is that of the property: no bundler renames it.
      inserts.push(
        [begin.getStart(), `const ${name} = /* @__PURE__ */ (() => ({ ${name}: class`, end],
        [statement.end, ` }).${name})();`],
      );
    } else if (!DECLARES.has(statement.kind)) {
      throw stays(statement);
    }
  }
  return inserts
    .reverse()
    .reduce((made, [at, inserted, to = at]) => made.slice(0, at) + inserted + made.slice(to), text);

  function stays(node) {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    return new Error(
      `${path}:${line + 1}: this runs at import and stays in every bundle: make it the value of a constant with one name`,
    );
  }
}

const DECLARES = new Set([
  ts.SyntaxKind.ImportDeclaration,
  ts.SyntaxKind.ExportDeclaration,
  ts.SyntaxKind.FunctionDeclaration,
  ts.SyntaxKind.InterfaceDeclaration,
  ts.SyntaxKind.TypeAliasDeclaration,
  ts.SyntaxKind.ModuleDeclaration,
]);

/** Returns `true` if a bundler sees by itself that the expression has no effect. */
function isPure(node) {
  if (ts.isIdentifier(node)) return node.text !== 'globalThis'; // Terser takes it for a name that might be missing
  if (ts.isLiteralExpression(node) || ts.isFunctionLike(node)) return true;
  if (ts.isArrayLiteralExpression(node)) return node.elements.every(isPure);
  if (ts.isPrefixUnaryExpression(node)) return isPure(node.operand);
  // A long text in lines. Of other operands `+` may call a function of theirs.
  if (ts.isBinaryExpression(node)) return isText(node) && isPure(node.left) && isPure(node.right);
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return isPure(node.expression);
  if (ts.isObjectLiteralExpression(node)) {
    return node.properties.every(
      (property) =>
        !(property.name && ts.isComputedPropertyName(property.name)) &&
        (ts.isShorthandPropertyAssignment(property) ||
          ts.isMethodDeclaration(property) ||
          ts.isAccessor(property) ||
          (ts.isPropertyAssignment(property) && isPure(property.initializer))),
    );
  }
  return [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword, ts.SyntaxKind.NullKeyword].includes(
    node.kind,
  );
}

/** Returns `true` for a literal, or a sum of literals. */
function isText(node) {
  if (!ts.isBinaryExpression(node)) return ts.isLiteralExpression(node);
  return node.operatorToken.kind === ts.SyntaxKind.PlusToken && isText(node.left) && isText(node.right);
}

/**
 * Returns `true` for a call of a named function that bundlers leave out once it is marked: its arguments have no
 * effect.
 */
function isPureWhenMarked(node) {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false;
  const { expression } = node;
  const named =
    ts.isIdentifier(expression) ||
    (ts.isPropertyAccessExpression(expression) && ts.isIdentifier(expression.expression));
  return named && (node.arguments ?? []).every(isPure);
}

/**
 * Returns `true` if a member of a class runs code when the class is made, without a mark that it may be dropped with
 * the class.
 */
function runs(member) {
  if (ts.isClassStaticBlockDeclaration(member)) return true;
  return calls(member) && !member.getText().includes('/* @__PURE__ */');
}

/** Returns `true` for a static field whose value is more than a literal. */
function calls(member) {
  if (!ts.isPropertyDeclaration(member) || member.initializer === undefined) return false;
  const isStatic = member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword);
  return isStatic && !isPure(member.initializer);
}

/** Returns `true` if the name of a class's member is read from an object when the class is made. */
function isNamedByProperty({ name }) {
  return name !== undefined && ts.isComputedPropertyName(name) && !ts.isIdentifier(name.expression);
}
