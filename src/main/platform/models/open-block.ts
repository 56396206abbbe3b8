/** The blocks of a message while its stream runs, what they are at its end, and what the API's web search found. */
import type { AssistantBlock } from '../../../shared/messages/content.ts'
import type { ModelReply, WebSearchResult } from '../../runtime/ports/model.ts'

/** An unchecked event of the stream. */
export type Json = { readonly [key: string]: unknown }

/** A block that grows. Pieces are joined once, at its end. */
export type OpenBlock =
  | { readonly kind: 'text'; readonly text: string[]; readonly citations: unknown[] }
  | { readonly kind: 'thinking'; readonly text: string[]; readonly signature: string[] }
  | { readonly kind: 'redacted'; readonly data: string }
  | {
      readonly kind: 'tool'
      readonly id: string
      readonly name: string
      readonly startInput: unknown
      readonly caller: unknown
      readonly input: string[]
    }
  | {
      readonly kind: 'foreign'
      /** As it came, with what its deltas appended. */
      readonly block: Record<string, unknown>
      readonly input: string[]
    }

/** The block as the transcript has it. */
export function closed(block: OpenBlock): AssistantBlock {
  switch (block.kind) {
    case 'text':
      return {
        type: 'text',
        text: block.text.join(''),
        ...(block.citations.length === 0 ? {} : { citations: block.citations }),
      }
    case 'thinking':
      return { type: 'thinking', thinking: block.text.join(''), signature: block.signature.join('') }
    case 'redacted':
      return { type: 'redacted_thinking', data: block.data }
    case 'tool':
      return {
        type: 'tool_use',
        id: block.id,
        name: block.name,
        input: inputOf(block.input, block.startInput),
        ...(block.caller == null ? {} : { caller: block.caller }),
      }
    case 'foreign':
      return {
        type: 'foreign',
        block:
          block.input.length === 0
            ? block.block
            : { ...block.block, input: inputOf(block.input, block.block['input']) },
      }
  }
}

/** Deeper inputs would overflow the stack where they are checked, logged or shown. No tool has one. */
const MAX_DEPTH = 200

function isTooDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap((inner): unknown[] =>
      typeof inner === 'object' && inner !== null ? Object.values(inner) : [],
    )
  }
  return false
}

/**
 * A tool's input. Invalid JSON, and JSON nested too deep, stays text: every schema rejects text, and the model receives
 * the error.
 */
function inputOf(pieces: readonly string[], startInput: unknown): unknown {
  if (pieces.length === 0) return isJson(startInput) && !isTooDeep(startInput) ? startInput : {}
  const text = pieces.join('')
  try {
    const input: unknown = JSON.parse(text)
    return isTooDeep(input) ? text : input
  } catch {
    return text
  }
}

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A text field; empty where it is missing or no text. */
export const textField = (value: Json, key: string): string => {
  const text = value[key]
  return typeof text === 'string' ? text : ''
}

/** The results of the API's web search, from the blocks and citations of a message. */
export class SearchResults {
  private readonly results = new Map<string, { title: string; age: string | null; snippets: string[] }>()
  private error: string | null = null
  private isSearched = false

  /** Whether the API made no search. */
  get isEmpty(): boolean {
    return !this.isSearched
  }

  /** The content of a `web_search_tool_result` block: results, or an error. */
  take(content: unknown): void {
    this.isSearched = true
    if (!Array.isArray(content)) {
      this.error = textIn(content, 'error_code') || 'unknown'
      return
    }
    for (const result of content) {
      const url = textIn(result, 'url')
      if (url === '' || this.results.has(url)) continue
      const title = textIn(result, 'title') || url
      this.results.set(url, { title, age: textIn(result, 'page_age') || null, snippets: [] })
    }
  }

  /** A citation of the message's text. */
  cite(citation: unknown): void {
    const text = textIn(citation, 'cited_text')
    if (text !== '') this.results.get(textIn(citation, 'url'))?.snippets.push(text)
  }

  answer(): NonNullable<ModelReply['webSearch']> {
    const results = [...this.results].map(([url, result]): WebSearchResult => ({ url, ...result }))
    return { results, error: results.length > 0 ? null : this.error }
  }
}

function textIn(value: unknown, key: string): string {
  if (typeof value !== 'object' || value === null) return ''
  const text: unknown = Reflect.get(value, key)
  return typeof text === 'string' ? text : ''
}
