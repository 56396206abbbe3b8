/**
 * A Messages API for comparing programs: it answers each with the same work and takes what each sends, while the scripted
 * API of the project refuses what its own client must not send. Run as a process of its own.
 */
import { createServer, type ServerResponse } from 'node:http'

/** What the programs are to do. */
export interface PeerJob {
  /** Agents that the main agent starts at once; 0: it does the turns itself. */
  readonly agents: number
  /** Requests of each agent that end with a tool call. */
  readonly calls: number
  readonly call: { readonly tool: string; readonly input: object }
}

interface Block {
  readonly type: string
  readonly text?: string
}

interface Body {
  readonly model: string
  readonly stream?: boolean
  readonly tools?: readonly { readonly name: string }[]
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[]
}

type Reply = readonly ({ readonly text: string } | { readonly tool: string; readonly input: object })[]

/** What the model says to a request. */
function replyTo({ tools = [], messages }: Body, { agents, calls, call }: PeerJob): Reply {
  const isKnown = (name: string): boolean => tools.some((tool) => tool.name === name)
  // A title, a summary, or a question whether the key works.
  if (!isKnown(call.tool)) return [{ text: 'Fine.' }]
  const said = messages.filter(({ role }) => role === 'assistant').length
  const isAgent = messages.some(({ content }) => /Do task \d+\./.test(textOf(content)))
  if (agents > 0 && !isAgent) {
    if (said > 0) return [{ text: 'All have reported.' }]
    const tool = ['Agent', 'Task'].find(isKnown) ?? 'Agent'
    return Array.from({ length: agents }, (_, at) => ({
      tool,
      input: { description: `task ${at}`, prompt: `Do task ${at}.`, subagent_type: 'general-purpose' },
    }))
  }
  return said < calls ? [{ tool: call.tool, input: call.input }] : [{ text: 'Done.' }]
}

const textOf = (content: string | readonly Block[]): string =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n')

let made = 0

function answer(response: ServerResponse, body: Body, reply: Reply): void {
  const usage = { input_tokens: 10, output_tokens: 5 }
  const content = reply.map((part) =>
    'text' in part
      ? { type: 'text', text: part.text }
      : { type: 'tool_use', id: `toolu_${++made}`, name: part.tool, input: part.input },
  )
  const stop_reason = reply.some((part) => 'tool' in part) ? 'tool_use' : 'end_turn'
  const head = { id: `msg_${++made}`, type: 'message', role: 'assistant', model: body.model, usage }
  if (body.stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...head, content, stop_reason, stop_sequence: null }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (type: string, data: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  }
  send('message_start', { message: { ...head, content: [], stop_reason: null, stop_sequence: null } })
  for (const [index, block] of content.entries()) {
    const isText = block.type === 'text'
    send('content_block_start', {
      index,
      content_block: isText ? { type: 'text', text: '' } : { ...block, input: {} },
    })
    send('content_block_delta', {
      index,
      delta: isText
        ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
    })
    send('content_block_stop', { index })
  }
  send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } })
  send('message_stop', {})
  response.end()
}

if (process.send && process.argv[2]?.startsWith('{')) {
  const job = JSON.parse(process.argv[2]) as PeerJob
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const path = request.url?.split('?')[0]
    if (path === '/v1/messages') {
      const body = JSON.parse(text) as Body
      return answer(response, body, replyTo(body, job))
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(path?.endsWith('count_tokens') ? { input_tokens: 10 } : {}))
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (typeof address === 'object') process.send?.({ baseUrl: `http://127.0.0.1:${address?.port}` })
  })
  process.on('disconnect', () => process.exit())
}
