/** The data of the page, read from its compressed elements piece by piece. */
import {
  PAGE_DATA_CLASS,
  type PageAgent,
  type PageLine,
  type PageSpan,
  type SharedRow,
} from '../../../../shared/sharing/page-data.ts'

type Head = Extract<PageLine, { readonly line: 'head' }>
type Arrows = Extract<PageLine, { readonly line: 'arrows' }>['arrows']

export interface PageModel extends Omit<Head, 'line'> {
  readonly byId: ReadonlyMap<string, PageAgent>
  readonly rowsOf: (agentId: string) => readonly SharedRow[]
  readonly spansOf: (agentId: string) => readonly PageSpan[]
  readonly arrows: Arrows
}

/** Throws where the data is cut off or changed. */
export async function readModel(): Promise<PageModel> {
  const rows = new Map<string, SharedRow[]>()
  const spans = new Map<string, PageSpan[]>()
  const arrows: Arrows[number][] = []
  let head: Head | null = null
  for await (const line of linesOf(unpacked())) {
    const value = JSON.parse(line) as PageLine
    if (value.line === 'head') head = value
    else if (value.line === 'rows') for (const row of value.rows) listIn(rows, value.agentId).push(row)
    else if (value.line === 'arrows') arrows.push(...value.arrows)
    else for (const span of value.spans) listIn(spans, span.agentId).push(span)
  }
  if (head === null) throw new Error('The file has no conversation.')
  return {
    ...head,
    arrows,
    byId: new Map(head.agents.map((agent) => [agent.id, agent])),
    rowsOf: (agentId) => rows.get(agentId) ?? [],
    spansOf: (agentId) => spans.get(agentId) ?? [],
  }
}

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}

/** The text behind the elements, which are removed once they are read: a long conversation is in memory only once. */
function unpacked(): ReadableStream<string> {
  const elements = [...document.querySelectorAll(`script.${PAGE_DATA_CLASS}`)]
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const element = elements.shift()
      if (element === undefined) return controller.close()
      const text = atob(element.textContent ?? '')
      element.remove()
      controller.enqueue(Uint8Array.from(text, (character) => character.charCodeAt(0)))
    },
  })
    .pipeThrough(new DecompressionStream('gzip'))
    .pipeThrough(new TextDecoderStream())
}

async function* linesOf(texts: ReadableStream<string>): AsyncGenerator<string> {
  const reader = texts.getReader()
  let parts: string[] = []
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const [first = '', ...more] = piece.value.split('\n')
    parts.push(first)
    for (const next of more) {
      yield parts.join('')
      parts = [next]
    }
  }
}
