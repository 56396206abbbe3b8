/**
 * Assembles a message from the events of its stream. Pieces are collected in lists and joined once, so that a tool
 * input costs only its length. Unknown event types are ignored; blocks of unknown kinds are kept as they came, with a note. Text is never
 * dropped: where a server uses an index twice, or sends text for a block of another kind, it gets a block of its own.
 */

import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { AssistantBlock } from '../../../shared/messages/content.ts'
import type { ModelDelta, ModelFailure, ModelReply, StopReason } from '../../runtime/ports/model.ts'
import { failureOfErrorEvent, modelRefusalText, serverFailure } from './model-failures.ts'
import { closed, isJson, type Json, type OpenBlock, SearchResults, textField } from './open-block.ts'
import { PaceRecorder, tokensIn, UsageCount } from './usage-count.ts'

/** Their results are shown by the call that asked for them. */
const SEARCHES: ReadonlySet<string> = new Set(['server_tool_use', 'web_search_tool_result'])

/** Events of a message that has started. */
const PARTS: ReadonlySet<string> = new Set([
  'content_block_start',
  'content_block_delta',
  'message_delta',
  'message_stop',
])

/** The known deltas, with the kind of block that each belongs to. */
const DELTAS: ReadonlyMap<string, OpenBlock['kind']> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'thinking'],
  ['input_json_delta', 'tool'],
])

/** Characters of text and thinking in a message. The highest output limit of a model is about a million. */
const MOST_TEXT = 4_000_000

/** Content blocks of a message. Each tool call is one. */
const MOST_BLOCKS = 10_000

export interface AssemblyOptions {
  readonly onDelta: (delta: ModelDelta) => void
  /** Milliseconds since the request. */
  readonly elapsed: () => number
  /** Estimates the request, for a server that does not count its tokens. */
  readonly promptTokens: () => number
}

export class MessageAssembly {
  private readonly options: AssemblyOptions
  private id = ''
  private model = ''
  /** By place in the message. */
  private readonly blocks = new Map<number, OpenBlock>()
  /** By index in the stream: the place of the block that is open there, and of text that belongs to no block. */
  private readonly places = new Map<number, { readonly block: number; text?: number; gone?: true }>()
  /** Above every place. */
  private nextPlace = 0
  private textLength = 0
  private readonly search = new SearchResults()
  private readonly unknownKinds = new Set<string>()
  private stopReason: StopReason = 'unknown'
  private stopDetails: string | null = null
  private readonly usage = new UsageCount()
  private readonly pace = new PaceRecorder()
  private started = false
  private stopped = false

  constructor(options: AssemblyOptions) {
    this.options = options
  }

  /** Whether `message_stop` was received. */
  get complete(): boolean {
    return this.stopped
  }

  /** Takes one event's data. A failure ends the stream: an error event, or invalid data. */
  take(data: string): ModelFailure | null {
    let event: unknown
    try {
      event = JSON.parse(data)
    } catch (thrown) {
      return serverFailure(`an event is not JSON: ${clip(data)}`, { cause: thrown })
    }
    if (!isJson(event)) return serverFailure(`an event is not an object: ${clip(data)}`)
    switch (event['type']) {
      case 'message_start':
        return this.start(event['message'])
      case 'error':
        return failureOfErrorEvent(event)
      default:
        return this.takePart(event)
    }
  }

  /** Takes an event that belongs to a message that has started. Unknown events may come at any time. */
  private takePart(event: Json): ModelFailure | null {
    const { type } = event
    if (!this.started && typeof type === 'string' && PARTS.has(type))
      return serverFailure(`the stream has a ${type} before message_start`)
    switch (type) {
      case 'content_block_start':
        return this.startBlock(event['index'], event['content_block'])
      case 'content_block_delta':
        return this.grow(event['index'], event['delta'])
      case 'message_delta':
        return this.finish(event)
      case 'message_stop':
        this.stopped = true
        return null
      default:
        return null
    }
  }

  /** The message, once it is complete. */
  reply(): Result<ModelReply, ModelFailure> {
    const content: AssistantBlock[] = []
    const toolIds = new Set<string>()
    for (const [, block] of [...this.blocks].sort(([a], [b]) => a - b)) {
      if (block.kind === 'tool' && toolIds.has(block.id))
        return fail(serverFailure(`two calls in one message have the same id, ${block.id}`))
      if (block.kind === 'tool') toolIds.add(block.id)
      content.push(closed(block))
    }
    return ok({
      id: this.id,
      model: this.model,
      content,
      stopReason: this.stopReason,
      ...(this.stopDetails === null ? {} : { stopDetails: this.stopDetails }),
      usage: this.usage.total(this.options.promptTokens, () => tokensIn(this.pace.characters)),
      ...(this.usage.isEstimated ? { usageEstimated: true as const } : {}),
      pace: this.pace.pace(),
      ...(this.search.isEmpty ? {} : { webSearch: this.search.answer() }),
      ...(this.unknownKinds.size === 0 ? {} : { notes: [leftOut(this.unknownKinds)] }),
    })
  }

  private start(message: unknown): ModelFailure | null {
    if (!isJson(message)) return serverFailure('message_start contains no message')
    if (this.started) return serverFailure('message_start came twice')
    this.started = true
    this.id = textField(message, 'id')
    this.model = textField(message, 'model')
    if (isJson(message['usage'])) this.usage.take(message['usage'])
    if (typeof message['stop_reason'] === 'string') this.stopReason = stopReasonOf(message['stop_reason'])
    // Only of a message that is there as a whole does the start know the output.
    else this.usage.forgetOutput()
    // A message that continues with the calls of a program which the server runs has them from its start.
    const content = Array.isArray(message['content']) ? message['content'] : []
    for (const [index, block] of content.entries()) {
      const failure = this.startBlock(index, block)
      if (failure !== null) return failure
    }
    return null
  }

  private startBlock(index: unknown, block: unknown): ModelFailure | null {
    if (typeof index !== 'number' || !isJson(block))
      return serverFailure('a content block has no index or no content')
    if (this.blocks.size >= MOST_BLOCKS)
      return serverFailure(`the message has more than ${MOST_BLOCKS} blocks and no end`)
    const [id, name] = [textField(block, 'id'), textField(block, 'name')]
    const former = this.blocks.get(this.places.get(index)?.block ?? -1)
    if (block['type'] === 'tool_use' && former?.kind === 'tool' && former.id === id) return null
    const at = this.freePlace(index)
    this.places.set(index, { block: at })
    switch (block['type']) {
      case 'text':
        this.blocks.set(at, {
          kind: 'text',
          text: [],
          citations: Array.isArray(block['citations']) ? [...block['citations']] : [],
        })
        return this.append({ index: at, kind: 'text', name: '', append: textField(block, 'text') })
      case 'thinking':
        this.blocks.set(at, { kind: 'thinking', text: [], signature: [textField(block, 'signature')] })
        return this.append({ index: at, kind: 'thinking', name: '', append: textField(block, 'thinking') })
      case 'redacted_thinking':
        this.blocks.set(at, { kind: 'redacted', data: textField(block, 'data') })
        return null
      case 'tool_use':
        if (id === '' || name === '') return serverFailure('a tool call has no id or no name')
        this.blocks.set(at, {
          kind: 'tool',
          id,
          name,
          startInput: block['input'],
          caller: block['caller'],
          input: [],
        })
        this.options.onDelta({ index: at, kind: 'tool', name, append: '' })
        return null
      default:
        if (block['type'] === 'web_search_tool_result') this.search.take(block['content'])
        if (block['type'] === 'fallback') this.fallBack(block['to'])
        // Without a type the API would not take it back.
        if (textField(block, 'type') !== '')
          this.blocks.set(at, { kind: 'foreign', block: { ...block }, input: [] })
        else this.places.set(index, { block: at, gone: true })
        if (!SEARCHES.has(textField(block, 'type')))
          this.unknownKinds.add(textField(block, 'type') || 'without a type')
        return null
    }
  }

  /** Another model answers, at its own price. */
  private fallBack(to: unknown): void {
    if (isJson(to) && textField(to, 'model') !== '') this.model = textField(to, 'model')
  }

  /** The index, unless another block has that place. */
  private freePlace(index: number): number {
    const at = this.blocks.has(index) ? this.nextPlace : index
    this.nextPlace = Math.max(this.nextPlace, at + 1)
    return at
  }

  private grow(index: unknown, delta: unknown): ModelFailure | null {
    const place = typeof index === 'number' ? this.places.get(index) : undefined
    const block = this.blocks.get(place?.block ?? -1)
    if (place?.gone) return null
    if (place === undefined || block === undefined)
      return serverFailure('a delta names a content block that never started')
    if (!isJson(delta)) return null
    if (block.kind === 'foreign') return this.growForeign(block, delta)
    const { type } = delta
    if (type === 'citations_delta') {
      this.search.cite(delta['citation'])
      if (block.kind === 'text' && isJson(delta['citation'])) block.citations.push(delta['citation'])
      return null
    }
    const kind = typeof type === 'string' ? DELTAS.get(type) : undefined
    if (kind === undefined) return null
    if (kind === 'text') {
      const at = block.kind === 'text' ? place.block : this.textPlace(place)
      return this.append({ index: at, kind: 'text', name: '', append: textField(delta, 'text') })
    }
    if (kind !== block.kind) this.unknownKinds.add(`${type} in a block of the kind ${block.kind}`)
    else if (block.kind === 'tool') {
      const append = textField(delta, 'partial_json')
      return this.append({ index: place.block, kind: 'tool', name: block.name, append })
    } else if (type === 'signature_delta' && block.kind === 'thinking')
      block.signature.push(textField(delta, 'signature'))
    else
      return this.append({
        index: place.block,
        kind: 'thinking',
        name: '',
        append: textField(delta, 'thinking'),
      })
    return null
  }

  /** Each field of the delta is appended to the block's field of the same name. */
  private growForeign(
    { block, input }: Extract<OpenBlock, { kind: 'foreign' }>,
    { type, ...fields }: Json,
  ): ModelFailure | null {
    if (type === 'input_json_delta') {
      if (textField(fields, 'partial_json') !== '') input.push(textField(fields, 'partial_json'))
      this.textLength += textField(fields, 'partial_json').length
    } else
      for (const [key, value] of Object.entries(fields)) {
        const before = block[key]
        if (typeof value === 'string' && (typeof before === 'string' || before == null))
          block[key] = (before ?? '') + value
        else if (Array.isArray(value) && Array.isArray(before)) block[key] = [...before, ...value]
        else block[key] = value
        if (typeof value === 'string') this.textLength += value.length
      }
    return this.tooLong()
  }

  /** The place of text that came for a block of another kind. */
  private textPlace(place: { readonly block: number; text?: number }): number {
    if (place.text !== undefined) return place.text
    const at = this.freePlace(place.block)
    this.blocks.set(at, { kind: 'text', text: [], citations: [] })
    place.text = at
    return at
  }

  private append(delta: ModelDelta): ModelFailure | null {
    const { append } = delta
    if (append === '') return null
    const block = this.blocks.get(delta.index)
    if (block?.kind === 'tool') block.input.push(append)
    else if (block?.kind === 'text' || block?.kind === 'thinking') {
      block.text.push(append)
      this.textLength += append.length
    }
    this.pace.add(this.options.elapsed(), append.length)
    this.options.onDelta(delta)
    return this.tooLong()
  }

  private tooLong(): ModelFailure | null {
    return this.textLength > MOST_TEXT
      ? serverFailure(
          `the message has more than ${MOST_TEXT / 1_000_000} million characters of text and no end`,
        )
      : null
  }

  private finish(event: Json): null {
    const { delta } = event
    if (isJson(delta) && delta['stop_reason'] !== null && delta['stop_reason'] !== undefined)
      this.stopReason = stopReasonOf(delta['stop_reason'])
    if (isJson(delta)) this.stopDetails = modelRefusalText(delta['stop_details']) ?? this.stopDetails
    if (isJson(event['usage'])) this.usage.take(event['usage'])
    return null
  }
}

const stopReasons: ReadonlySet<string> = new Set<StopReason>([
  'end_turn',
  'tool_use',
  'max_tokens',
  'stop_sequence',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
  'compaction',
])

const stopReasonOf = (reason: unknown): StopReason =>
  typeof reason === 'string' && stopReasons.has(reason) ? (reason as StopReason) : 'unknown'

function leftOut(kinds: ReadonlySet<string>): string {
  const names = [...kinds].join(', ')
  return `The message also had content of an unknown kind (${names}). It is not shown, and is sent back to the model as it came.`
}

const clip = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)} …` : text)
