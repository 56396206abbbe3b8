/** The results of the API's web search, from the blocks and citations of a message. */
import type { ModelReply, WebSearchResult } from '../../runtime/ports/model.ts'

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
