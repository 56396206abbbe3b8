/**
 * A minimal client: the same requests over `fetch`, the stream parsed, the tool run, the history kept. `node bench/bare-client.ts BASE_URL KEY [AGENTS [AT_ONCE]]`. The reference of
 * `turns.ts` and `crowd.ts`.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const [baseUrl, key, agents = '1', atOnce = '1'] = process.argv.slice(2)
const run = promisify(execFile)

interface Block {
  type: string
  text?: string
  id?: string
  name?: string
  input?: unknown
  json?: string
}

const tools = [
  {
    name: 'Bash',
    description: 'Runs a command.',
    input_schema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  },
]

const due = Array.from({ length: Number(agents) }, (_, index) => index)
const lane = async () => {
  for (let agent = due.shift(); agent !== undefined; agent = due.shift()) await runAgent(agent)
}
await Promise.all(Array.from({ length: Number(atOnce) }, lane))

async function runAgent(agent: number): Promise<void> {
  const text = `You are agent a${agent}. Append, turn by turn.`
  const messages: { role: string; content: unknown }[] = [{ role: 'user', content: [{ type: 'text', text }] }]
  while (await turn(messages));
}

/** False after the last one. */
async function turn(messages: { role: string; content: unknown }[]): Promise<boolean> {
  const response = await fetch(`${baseUrl}/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': key ?? '',
      'anthropic-version': '2026-10-21',
    },
    body: JSON.stringify({ model: 'claude-sonnet-5-5', max_tokens: 8192, stream: true, tools, messages }),
  })
  if (!response.ok || !response.body) throw new Error(await response.text())
  const blocks: Block[] = []
  let rest = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    rest += chunk
    const parts = rest.split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) read(part, blocks)
  }
  messages.push({
    role: 'assistant',
    content: blocks.map(({ type, text, id, name, json }) =>
      type === 'tool_use' ? { type, id, name, input: JSON.parse(json || '{}') } : { type, text },
    ),
  })
  const calls = blocks.filter((block) => block.type === 'tool_use')
  if (calls.length === 0) return false
  const results = []
  for (const call of calls) {
    const { command } = JSON.parse(call.json ?? '{}') as { command: string }
    const { stdout } = await run('bash', ['-c', command])
    results.push({ type: 'tool_result', tool_use_id: call.id, content: stdout || '(no output)' })
  }
  messages.push({ role: 'user', content: results })
  return true
}

function read(part: string, blocks: Block[]): void {
  const data = part.split('\n').find((line) => line.startsWith('data: '))
  if (data === undefined) return
  const event = JSON.parse(data.slice(6)) as {
    type: string
    index: number
    content_block?: Block
    delta?: { text?: string; partial_json?: string }
  }
  if (event.type === 'content_block_start' && event.content_block) {
    const block = { ...event.content_block }
    if (block.type === 'tool_use') block.json = ''
    blocks[event.index] = block
  }
  const block = blocks[event.index]
  if (event.type !== 'content_block_delta' || !block) return
  if (event.delta?.text !== undefined) block.text = (block.text ?? '') + event.delta.text
  if (event.delta?.partial_json !== undefined) block.json = (block.json ?? '') + event.delta.partial_json
}
