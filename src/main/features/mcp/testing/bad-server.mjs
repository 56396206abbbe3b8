/**
 * A small MCP server over stdio that misbehaves in one way, for tests: `node bad-server.mjs KIND`. Written without a
 * library, so that it can break the protocol.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const [kind = 'plain'] = process.argv.slice(2)
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = (value) => ({ content: [{ type: 'text', text: value }] })
const tool = (name) => ({ name, description: `${name}.`, inputSchema: { type: 'object', properties: {} } })

if (kind === 'dies') {
  process.stderr.write('cannot start\n')
  process.exit(3)
}
if (kind === 'crashes') throw new TypeError('The database is gone')
if (kind === 'no-json') process.stdout.write('Hello, I am a friendly server!\n')

const child = kind === 'with-child' ? spawn('sleep', ['1000']) : null
let changed = false
let asked = null
let late = null
let canSample = false

const tools = () =>
  ({
    asks: ['ask'],
    'hangs-in-call': ['hang'],
    late: ['slow', 'release'],
    'samples-asks': ['sample'],
    samples: ['sample'],
    'dies-in-call': ['die'],
    changes: changed ? ['change', 'later'] : ['change'],
    floods: ['flood'],
    'with-child': ['pids'],
  })[kind] ?? ['echo', 'pid']

function call(id, { name, arguments: input }) {
  const done = (value) => send({ id, result: text(value) })
  switch (name) {
    case 'echo':
      return done(input.text === 'env' ? JSON.stringify(process.env) : JSON.stringify(input))
    case 'pid':
      return done(String(process.pid))
    case 'pids':
      return done(JSON.stringify([process.pid, child.pid]))
    case 'ask':
      asked = id
      return send({
        id: 'question',
        method: 'elicitation/create',
        params: {
          message: 'Which city?',
          requestedSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        },
      })
    case 'sample':
      if (!canSample) return done('no sampling')
      asked = id
      return send({
        id: 'question',
        method: 'sampling/createMessage',
        params: {
          messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital?' } }],
          maxTokens: 100,
        },
      })
    case 'slow':
      late = id
      return undefined
    case 'release':
      send({ method: 'notifications/message', params: { level: 'info', data: 'nearly done' } })
      send({ id: late, result: text('the late result') })
      return done('released')
    case 'die':
      process.stderr.write('Error: The disk is full.\n    at die (server.mjs:1:1)\n\nNode.js v22.1.0\n')
      return process.exit(7)
    case 'change':
      changed = true
      send({ method: 'notifications/tools/list_changed' })
      return done('changed')
    case 'flood':
      for (let line = 0; line < 20_000; line++)
        send({ method: 'notifications/message', params: { level: 'info', data: `line ${line}` } })
      return done('x'.repeat(6_000_000))
    default:
      return undefined
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line)
  if (method === 'initialize') {
    canSample = params.capabilities.sampling !== undefined
    send({
      id,
      result: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true }, logging: {} },
        serverInfo: { name: 'bad', version: '1.0.0' },
      },
    })
  } else if (method === 'tools/list') send({ id, result: { tools: tools().map(tool) } })
  else if (method === 'tools/call') call(id, params)
  else if (id === 'question') send({ id: asked, result: text(JSON.stringify(result ?? error)) })
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } })
})
