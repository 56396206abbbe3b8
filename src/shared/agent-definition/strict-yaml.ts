/** Strict YAML 1.2, with what else makes a text unusable: anchors that are not there, a text that multiplies itself. */
import { type Document, parseDocument, visit } from 'yaml'
import { readPlainYaml } from './plain-yaml.ts'

export interface ParsedYaml {
  /** The text that was parsed, to which the nodes' ranges refer. */
  readonly text: string
  /** Parsed when it is first asked for, where the values needed no parser. */
  readonly document: Document.Parsed
  /** The same as plain JavaScript. */
  readonly values: unknown
}

export interface YamlMistake {
  readonly from: number
  readonly to: number
  readonly message: string
}

export type StrictResult =
  | { readonly kind: 'parsed'; readonly parsed: ParsedYaml }
  /** `isFinal`: nothing can be rescued of it. */
  | { readonly kind: 'failed'; readonly mistake: YamlMistake; readonly isFinal: boolean }

export function parseStrictly(text: string): StrictResult {
  const plain = readPlainYaml(text)
  if (plain !== null) return { kind: 'parsed', parsed: new PlainYaml(text, plain) }
  const document = documentOf(text)
  const failed = (from: number, to: number, message: string, isFinal = false): StrictResult => {
    return { kind: 'failed', mistake: { from, to, message }, isFinal }
  }
  const [error] = document.errors
  if (error) return failed(error.pos[0], error.pos[1], error.message)
  const alias = text.includes('*') ? unresolvedAlias(document) : null
  if (alias) return failed(alias.from, alias.to, `There is no anchor for ${text.slice(alias.from, alias.to)}`)
  try {
    const values: unknown = document.toJS({ maxAliasCount: 100 })
    // An anchor inside what it names is a circle, which nothing can be written from.
    if (text.includes('*')) JSON.stringify(values)
    return { kind: 'parsed', parsed: { text, document, values } }
  } catch {
    return failed(0, 0, 'It refers to itself too many times', true)
  }
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
