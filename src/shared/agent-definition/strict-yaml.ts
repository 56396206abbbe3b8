/** Strict YAML 1.2. Undefined anchors, aliases that expand without bound, and texts beyond the bounds are mistakes too. */
import { type Document, parseDocument, visit } from 'yaml'
import { beyondYamlBounds, tooDeep } from '../kernel/yaml-bounds.ts'
import { readPlainYaml } from './plain-yaml.ts'

export interface ParsedYaml {
  /** The parsed text. The ranges of nodes refer to it. */
  readonly text: string
  /** Parsed on first access if the values needed no parser. */
  readonly document: Document.Parsed
  /** The document as plain JavaScript values. */
  readonly values: unknown
}

export interface YamlMistake {
  readonly from: number
  readonly to: number
  readonly message: string
}

type StrictResult =
  | { readonly kind: 'parsed'; readonly parsed: ParsedYaml }
  /** `isFinal`: recovery is impossible. */
  | { readonly kind: 'failed'; readonly mistake: YamlMistake; readonly isFinal: boolean }

export function parseStrictly(text: string): StrictResult {
  const plain = readPlainYaml(text)
  if (plain !== null) return { kind: 'parsed', parsed: new PlainYaml(text, plain) }
  const beyond = beyondYamlBounds(text)
  if (beyond !== null)
    return { kind: 'failed', mistake: { from: 0, to: 0, message: beyond }, isFinal: beyond !== tooDeep }
  const document = documentOf(text)
  const [error] = document.errors
  if (error) return failed({ from: error.pos[0], to: error.pos[1], message: error.message })
  const alias = text.includes('*') ? unresolvedAlias(document) : null
  if (alias)
    return failed({ ...alias, message: `There is no anchor for ${text.slice(alias.from, alias.to)}` })
  try {
    const values: unknown = document.toJS({ maxAliasCount: 100 })
    // JSON.stringify throws on an alias inside its own anchor.
    if (text.includes('*')) JSON.stringify(values)
    return { kind: 'parsed', parsed: { text, document, values } }
  } catch {
    const mistake = { from: 0, to: 0, message: 'It refers to itself too many times' }
    return { kind: 'failed', mistake, isFinal: true }
  }
}

function failed(mistake: YamlMistake): StrictResult {
  return { kind: 'failed', mistake, isFinal: false }
}

const documentOf = (text: string): Document.Parsed =>
  parseDocument(text, { prettyErrors: false, logLevel: 'silent' })

class PlainYaml implements ParsedYaml {
  readonly text: string
  readonly values: unknown
  private parsed: Document.Parsed | null = null

  constructor(text: string, values: unknown) {
    this.text = text
    this.values = values
  }

  get document(): Document.Parsed {
    this.parsed ??= documentOf(this.text)
    return this.parsed
  }
}

function unresolvedAlias(document: Document.Parsed): { readonly from: number; readonly to: number } | null {
  let found: { from: number; to: number } | null = null
  const anchors = new Set<string>()
  visit(document, {
    Node: (_key, node) => {
      if ('anchor' in node && typeof node.anchor === 'string') anchors.add(node.anchor)
    },
    Alias: (_key, node) => {
      if (anchors.has(node.source)) return undefined
      found = { from: node.range?.[0] ?? 0, to: node.range?.[1] ?? 0 }
      return visit.BREAK
    },
  })
  return found
}
