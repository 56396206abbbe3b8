/**
 * The expressions of a scenario: a small part of JavaScript, read and evaluated here. There are literals, template
 * strings, regular expressions, lists, tables, arrow functions, the operators `?: ?? || && === !== < <= > >= + - !`,
 * and the methods of texts and lists that change nothing. An expression sees only the names of its scope, so a
 * scenario from elsewhere reaches nothing else.
 */

/** The names that an expression may use. A lookup throws `UnknownName` for any other. */
export type Scope = (name: string) => unknown
/** A parsed expression. */
export type Expression = (scope: Scope) => unknown

/** A name that is not in the scope. */
export class UnknownName extends Error {}

/** Parses an expression. Throws a `SyntaxError` that quotes the unexpected part. */
export function parseExpression(source: string): Expression {
  const parser = new Parser(tokensOf(source))
  const expression = parser.expression()
  parser.end()
  return expression
}

/** A scope with more names in front of another. */
export function withNames(names: Readonly<Record<string, unknown>>, scope: Scope): Scope {
  return (name) => (Object.hasOwn(names, name) ? names[name] : scope(name))
}

// ---- tokens -------------------------------------------------------------------------------------

type Token =
  | { readonly kind: 'name' | 'sign'; readonly text: string }
  | { readonly kind: 'value'; readonly text: string; readonly value: unknown }
  /** A template string: texts, and the expressions between them. */
  | { readonly kind: 'template'; readonly text: string; readonly parts: readonly (string | Expression)[] }

const SPACE = /\s+/y
const NUMBER = /\d+(?:\.\d+)?/y
const NAME = /[A-Za-z_$][\w$]*/y
const STRING = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/y
const REGEX = /\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)/y
const SIGN = /=>|===|!==|<=|>=|&&|\|\||\?\?|\.\.\.|\?\.|[-+!?:.,()[\]{}<>]/y

function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (found) at += found[0].length
    return found
  }
  while (at < source.length) {
    if (take(SPACE)) continue
    const start = at
    if (source[at] === '`') {
      const { parts, end } = templateAt(source, at + 1)
      at = end
      tokens.push({ kind: 'template', text: source.slice(start, end), parts })
      continue
    }
    const number = take(NUMBER)
    const name = number ? null : take(NAME)
    const string = number || name ? null : take(STRING)
    const regex = number || name || string ? null : take(REGEX)
    const text = source.slice(start, at)
    if (number) tokens.push({ kind: 'value', text, value: Number(text) })
    else if (name) tokens.push({ kind: 'name', text })
    else if (string) tokens.push({ kind: 'value', text, value: unescaped(text.slice(1, -1)) })
    else if (regex) tokens.push({ kind: 'value', text, value: new RegExp(regex[1] ?? '', regex[2]) })
    else if (take(SIGN)) tokens.push({ kind: 'sign', text: source.slice(start, at) })
    else throw new SyntaxError(`unexpected ${JSON.stringify(source.slice(at, at + 20))}`)
  }
  return tokens
}

function templateAt(source: string, from: number): { parts: (string | Expression)[]; end: number } {
  const parts: (string | Expression)[] = []
  let text = ''
  for (let at = from; at < source.length; at++) {
    if (source[at] === '`') return { parts: [...parts, unescaped(text)], end: at + 1 }
    if (source[at] === '\\') text += source.slice(at, ++at + 1)
    else if (source.startsWith('${', at)) {
      const end = closingBrace(source, at + 2)
      parts.push(unescaped(text), parseExpression(source.slice(at + 2, end)))
      text = ''
      at = end
    } else text += source[at]
  }
  throw new SyntaxError('a template string does not end')
}

/** The brace that ends an inserted expression; those in its own strings and templates do not count. */
function closingBrace(source: string, from: number): number {
  for (let at = from, depth = 0; at < source.length; at++) {
    const character = source[at]
    STRING.lastIndex = at
    const string = STRING.exec(source)
    if (string) at += string[0].length - 1
    else if (character === '`') at = templateAt(source, at + 1).end - 1
    else if (character === '{') depth++
    else if (character === '}' && depth-- === 0) return at
  }
  throw new SyntaxError('an inserted expression does not end')
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', '0': '\0' }
const unescaped = (text: string): string =>
  text.replace(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character)

// ---- the parser ---------------------------------------------------------------------------------

const isFunction = (value: unknown): value is (...values: unknown[]) => unknown => typeof value === 'function'

class Parser {
  private readonly tokens: readonly Token[]
  private at = 0

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  end(): void {
    if (this.at < this.tokens.length) throw this.unexpected()
  }

  expression(): Expression {
    return this.arrow() ?? this.choice()
  }

  private arrow(): Expression | null {
    const start = this.at
    const names: string[] = []
    const isBare = !this.sign('(')
    while (this.tokens[this.at]?.kind === 'name') {
      names.push(this.name())
      if (isBare || !this.sign(',')) break
    }
    if (!(isBare || this.sign(')')) || !this.sign('=>')) {
      this.at = start
      return null
    }
    const body = this.expression()
    return (scope) =>
      (...values: unknown[]) =>
        body(withNames(Object.fromEntries(names.map((name, index) => [name, values[index]])), scope))
  }

  private choice(): Expression {
    const condition = this.binary(0)
    if (!this.sign('?')) return condition
    const yes = this.expression()
    this.need(':')
    const no = this.expression()
    return (scope) => (condition(scope) ? yes(scope) : no(scope))
  }

  private binary(level: number): Expression {
    const operators = LEVELS[level]
    if (operators === undefined) return this.unary()
    let left = this.binary(level + 1)
    for (;;) {
      const token = this.tokens[this.at]
      const operate = token?.kind === 'sign' ? operators[token.text] : undefined
      if (operate === undefined) return left
      this.at++
      const [one, two] = [left, this.binary(level + 1)]
      left = (scope) => operate(one(scope), () => two(scope))
    }
  }

  private unary(): Expression {
    if (this.sign('!')) {
      const operand = this.unary()
      return (scope) => !operand(scope)
    }
    if (this.sign('-')) {
      const operand = this.unary()
      return (scope) => -Number(operand(scope))
    }
    return this.postfix()
  }

  private postfix(): Expression {
    let target = this.primary()
    for (;;) {
      const before = target
      if (this.sign('(')) {
        const values = this.list(')')
        target = (scope) => {
          const called = before(scope)
          if (!isFunction(called)) throw new TypeError('a value is called that is not a function')
          return called(...values(scope))
        }
      } else if (this.sign('[')) {
        const key = this.keyInBrackets()
        target = (scope) => memberOf(before(scope), key(scope))
      } else if (this.peek(0) === '.' || this.peek(0) === '?.') {
        const isOptional = !this.sign('.') && this.sign('?.')
        const key = isOptional && this.sign('[') ? this.keyInBrackets() : this.keyNamed()
        target = (scope) => {
          const owner = before(scope)
          return isOptional && owner == null ? undefined : memberOf(owner, key(scope))
        }
        if (isOptional && this.peek(0) === '(') {
          this.at++
          const [member, values] = [target, this.list(')')]
          target = (scope) => {
            const called = member(scope)
            return isFunction(called) ? called(...values(scope)) : undefined
          }
        }
      } else return target
    }
  }

  private keyInBrackets(): Expression {
    const key = this.expression()
    this.need(']')
    return key
  }

  private keyNamed(): Expression {
    const name = this.name()
    return () => name
  }

  private primary(): Expression {
    const token = this.tokens[this.at++]
    if (token === undefined) throw new SyntaxError('the expression ends too early')
    if (token.kind === 'value') return () => token.value
    if (token.kind === 'template')
      return (scope) =>
        token.parts.map((part) => (typeof part === 'string' ? part : (part(scope) ?? ''))).join('')
    if (token.kind === 'name') {
      if (Object.hasOwn(CONSTANTS, token.text)) return () => CONSTANTS[token.text]
      return (scope) => scope(token.text)
    }
    if (token.text === '(') {
      const inner = this.expression()
      this.need(')')
      return inner
    }
    if (token.text === '[') return this.list(']')
    if (token.text === '{') return this.table()
    this.at--
    throw this.unexpected()
  }

  private list(close: string): (scope: Scope) => unknown[] {
    const items: { readonly value: Expression; readonly isSpread: boolean }[] = []
    while (!this.sign(close)) {
      const isSpread = this.sign('...')
      items.push({ value: this.expression(), isSpread })
      if (this.peek(0) !== close) this.need(',')
    }
    return (scope) =>
      items.flatMap(({ value, isSpread }) => (isSpread ? (value(scope) as unknown[]) : [value(scope)]))
  }

  private table(): Expression {
    const entries: { readonly key: string | null; readonly value: Expression }[] = []
    while (!this.sign('}')) {
      if (this.sign('...')) entries.push({ key: null, value: this.expression() })
      else {
        const key = this.name()
        entries.push({ key, value: this.sign(':') ? this.expression() : (scope) => scope(key) })
      }
      if (this.peek(0) !== '}') this.need(',')
    }
    return (scope) =>
      Object.fromEntries(
        entries.flatMap(({ key, value }) =>
          key === null ? Object.entries(value(scope) ?? {}) : [[key, value(scope)]],
        ),
      )
  }

  private name(): string {
    const token = this.tokens[this.at]
    if (token?.kind !== 'name') throw this.unexpected()
    this.at++
    return token.text
  }

  private sign(text: string): boolean {
    if (this.peek(0) !== text) return false
    this.at++
    return true
  }

  private need(text: string): void {
    if (!this.sign(text)) throw this.unexpected()
  }

  private peek(ahead: number): string | null {
    const token = this.tokens[this.at + ahead]
    return token?.kind === 'sign' ? token.text : null
  }

  private unexpected(): SyntaxError {
    const token = this.tokens[this.at]
    return new SyntaxError(
      token ? `unexpected ${JSON.stringify(token.text)}` : 'the expression ends too early',
    )
  }
}

// ---- values -------------------------------------------------------------------------------------

const CONSTANTS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null, undefined }

type Operator = (left: unknown, right: () => unknown) => unknown
type Comparable = number

/** The binary operators, the weakest first. */
const LEVELS: readonly Readonly<Record<string, Operator>>[] = [
  { '??': (left, right) => left ?? right() },
  { '||': (left, right) => left || right() },
  { '&&': (left, right) => left && right() },
  { '===': (left, right) => left === right(), '!==': (left, right) => left !== right() },
  {
    '<': (left, right) => (left as Comparable) < (right() as Comparable),
    '<=': (left, right) => (left as Comparable) <= (right() as Comparable),
    '>': (left, right) => (left as Comparable) > (right() as Comparable),
    '>=': (left, right) => (left as Comparable) >= (right() as Comparable),
  },
  {
    '+': (left, right) => (left as number) + (right() as number),
    '-': (left, right) => Number(left) - Number(right()),
  },
]

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const TEXT_METHODS = words(
  'at endsWith includes indexOf lastIndexOf match matchAll replace replaceAll slice split startsWith toLowerCase toUpperCase trim trimEnd',
)
const LIST_METHODS = words(
  'at every filter find findIndex findLast flat flatMap includes indexOf join map slice some',
)

/** A member of a table, an item of a list, or a method that changes nothing. */
function memberOf(owner: unknown, key: unknown): unknown {
  if (owner == null) throw new TypeError(`there is no ${JSON.stringify(key)} of ${owner}`)
  if (typeof owner === 'string' || Array.isArray(owner)) {
    if (typeof key === 'number') return owner[key]
    if (key === 'length') return owner.length
    const methods = typeof owner === 'string' ? TEXT_METHODS : LIST_METHODS
    if (!methods.has(String(key))) throw new TypeError(`there is no method ${JSON.stringify(key)}`)
    return methodOf(owner, String(key))
  }
  if (owner instanceof RegExp && key === 'test') return (text: unknown) => owner.test(String(text))
  if (typeof owner !== 'object' || owner instanceof RegExp || !Object.hasOwn(owner, String(key)))
    return undefined
  return (owner as Readonly<Record<string, unknown>>)[String(key)]
}

function methodOf(owner: object | string, name: string): (...values: unknown[]) => unknown {
  const method = (owner as Readonly<Record<string, unknown>>)[name] as (...values: unknown[]) => unknown
  return (...values) => {
    const result = method.apply(owner, values)
    return name === 'matchAll' ? [...(result as Iterable<unknown>)] : result
  }
}
