/**
 * The Messages API with a script instead of a model, for external agents. Unlike the scripted API of this
 * program's own client it checks nothing: what another maker's client sends is not ours to judge. Requests to other
 * places are answered with 404, so that nothing leaves this machine.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type {
  Director,
  ScriptedMessage,
  ScriptedReply,
  ScriptedRequest,
} from '../../../rehearsal/director.ts'
import { PACES } from '../../../rehearsal/pace.ts'
import { planReply } from '../../../rehearsal/reply-plan.ts'
import { prefixOf } from '../../../rehearsal/request-prefix.ts'
import type { StreamHead } from '../../../rehearsal/stream-pieces.ts'
import { streamReply, wholeMessage } from '../../../rehearsal/stream-reply.ts'

export interface ForeignApi {
  /** For `ANTHROPIC_BASE_URL`, without `/v1`. */
  readonly url: string
  /** The requests with tools, oldest first: not those for titles. */
  readonly requests: readonly ScriptedRequest[]
  /** `GET /api/hello` of each request to a place that is not the Messages API. */
  readonly others: readonly string[]
  close(): Promise<void>
}

/**
 * The replies to each task. A task is a text that a user's message contains: the first reply answers this message, each
 * next one the results of the calls before it, and the last one repeats. A later message with a task begins its replies.
 */
export type TaskScript = Readonly<Record<string, readonly (ScriptedReply | Promise<ScriptedReply>)[]>>

/** What a program hears whose request fits no task. */
const UNSCRIPTED = 'Nothing is scripted for this.'

export async function startForeignApi(script: TaskScript | Director): Promise<ForeignApi> {
  const director = isDirector(script) ? script : byTask(script)
  const requests: ScriptedRequest[] = []
  const others: string[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await textOf(request)
    const { pathname } = new URL(request.url ?? '/', 'http://scripted')
    if (request.method !== 'POST' || !pathname.startsWith('/v1/messages')) {
      others.push(`${request.method} ${pathname}`)
      return sendJson(response, 404, {
        type: 'error',
        error: { type: 'not_found_error', message: 'Not found' },
      })
    }
    const body: ForeignBody = JSON.parse(text)
    if (pathname !== '/v1/messages') return sendJson(response, 200, { input_tokens: tokensIn(text) })
    const scripted = scriptedOf(body)
    const asksTool = scripted.tools.length > 0
    if (asksTool) requests.push(scripted)
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const reply = asksTool ? await director.reply(scripted, gone.signal) : title(body)
    if (!gone.signal.aborted) await send(response, { body, reply, text, signal: gone.signal })
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`,
    requests,
    others,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Chooses the reply by the newest message that names a task. */
function byTask(script: TaskScript): Director {
  return {
    async reply({ messages }) {
      const begins = messages.findLastIndex((message) => taskIn(message, script) !== null)
      const message = messages[begins]
      const replies = message === undefined ? null : script[taskIn(message, script) ?? '']
      const turn = messages.slice(begins).filter(({ role }) => role === 'assistant').length
      return (
        (await replies?.[Math.min(turn, replies.length - 1)]) ?? {
          blocks: [{ type: 'text', text: UNSCRIPTED }],
        }
      )
    },
  }
}

function taskIn(message: ScriptedMessage, script: TaskScript): string | null {
  if (message.role !== 'user') return null
  const texts = message.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return Object.keys(script).find((task) => texts.some((text) => text.includes(task))) ?? null
}

const isDirector = (script: TaskScript | Director): script is Director =>
  typeof script['reply'] === 'function'

/** Both programs ask for a title of their session, one of them as JSON. */
const title = ({ output_config }: ForeignBody): ScriptedReply => ({
  blocks: [{ type: 'text', text: output_config?.format === undefined ? 'A task' : '{"title":"A task"}' }],
})

interface ForeignBody {
  readonly model: string
  readonly max_tokens: number
  readonly stream?: boolean
  readonly system?: string | readonly ForeignBlock[]
  readonly tools?: readonly { readonly name: string; readonly description?: string }[]
  readonly messages: readonly { readonly role: string; readonly content: string | readonly ForeignBlock[] }[]
  readonly output_config?: { readonly format?: unknown }
}

type ForeignBlock = Readonly<Record<string, unknown>> & { readonly type: string }

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

const tokensIn = (text: string): number => Math.ceil(text.length / 4)

async function send(
  response: ServerResponse,
  {
    body,
    reply,
    text,
    signal,
  }: {
    readonly body: ForeignBody
    readonly reply: ScriptedReply
    readonly text: string
    readonly signal: AbortSignal
  },
): Promise<void> {
  const own = { model: body.model, max_tokens: body.max_tokens, messages: [] }
  const plan = planReply(reply, {
    body: own,
    prefix: prefixOf(own),
    nextToolId: () => `toolu_${randomBytes(12).toString('hex')}`,
  })
  const head: StreamHead = {
    id: `msg_${randomBytes(12).toString('hex')}`,
    model: body.model,
    usage: { input: tokensIn(text), read: 0, written: 0, writtenForHour: 0 },
    counts: reply.usage ?? {},
    stopDetails: null,
    dropped: null,
  }
  if (body.stream !== true) return sendJson(response, 200, wholeMessage(head, plan))
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  await streamReply(response, {
    elapsed: () => performance.now(),
    head,
    plan,
    pace: () => PACES.instant,
    pingEveryMs: 10_000,
    silenceMs: 0,
    fault: reply.fault,
    signal,
  })
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

function scriptedOf({ model, system = '', tools = [], messages }: ForeignBody): ScriptedRequest {
  return {
    model,
    system: typeof system === 'string' ? system : words(system),
    tools: tools.map(({ name, description = '' }) => ({ name, description })),
    toolChoice: 'auto',
    messages: messages.flatMap(({ role, content }): ScriptedMessage[] => {
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
      if (role === 'user') return [{ role, content: blocks.flatMap(userBlock) }]
      return role === 'assistant' ? [{ role, content: blocks.flatMap(assistantBlock) }] : []
    }),
  }
}

type Of<Role> = Extract<ScriptedMessage, { role: Role }>['content'][number]

function userBlock(block: ForeignBlock): Of<'user'>[] {
  if (block.type === 'text') return [{ type: 'text', text: String(block['text']) }]
  if (block.type !== 'tool_result') return []
  const { tool_use_id, content, is_error } = block
  const text = typeof content === 'string' ? content : words(Array.isArray(content) ? content : [])
  return [{ type: 'tool_result', toolUseId: String(tool_use_id), text, isError: is_error === true }]
}

function assistantBlock(block: ForeignBlock): Of<'assistant'>[] {
  if (block.type === 'text') return [{ type: 'text', text: String(block['text']) }]
  if (block.type !== 'tool_use') return []
  return [{ type: 'tool_use', id: String(block['id']), name: String(block['name']), input: block['input'] }]
}

const words = (blocks: readonly ForeignBlock[]): string =>
  blocks.flatMap((block) => (block.type === 'text' ? [String(block['text'])] : [])).join('\n')
