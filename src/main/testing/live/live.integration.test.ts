/** The checks against the scripted API: an obedient script, and ones that do each thing wrong. */
import { expect, onTestFinished, test } from 'vitest'
import type { Director, ScriptedReply, ScriptedRequest } from '../../features/rehearsal/director.ts'
import { startScriptedServer } from '../../features/rehearsal/feature.ts'
import { createAnthropicClient } from '../../platform/models/anthropic-client.ts'
import { createSystemClock } from '../../platform/system/machine-time.ts'
import { PROGRAM } from '../program-file.ts'
import { withoutSandbox } from '../without-sandbox.ts'
import { openGate } from './gate.ts'
import { type CheckOutcome, live } from './live.ts'

const KEY = 'sk-ant-the-real-one'
const MODEL = 'claude-haiku-4-5'

/** Does what the checks ask for. */
function obey(request: ScriptedRequest): ScriptedReply {
  const asked = textsOf(request, 'user')
  const results = request.messages.flatMap(({ role, content }) =>
    role === 'user' ? content.flatMap((block) => (block.type === 'tool_result' ? [block.text] : [])) : [],
  )
  const say = (text: string): ScriptedReply => ({ blocks: [{ type: 'text', text }] })
  const call = (name: string, ...inputs: readonly object[]): ScriptedReply => ({
    blocks: [
      { type: 'thinking', text: 'One step after the other.' },
      ...inputs.map((input) => ({ type: 'tool_use' as const, name, input })),
    ],
  })
  const exactly = /nothing else: (\w+)/.exec(asked)?.[1]
  if (exactly !== undefined) return say(exactly)
  if (/greeting\.txt/.test(asked))
    return results.length === 0
      ? call('Read', { file_path: 'greeting.txt' })
      : results.length === 1
        ? call('Edit', { file_path: 'greeting.txt', old_string: 'wrold', new_string: 'world' })
        : say('Corrected.')
  if (/touch made/.test(asked))
    return results.length === 0 ? call('Bash', { command: 'touch made.txt' }) : say('denied')
  if (/Which word did I ask/.test(asked)) return say(/Remember the word (\w+)/.exec(asked)?.[1] ?? 'none')
  if (/Remember the word/.test(asked)) return { ...say('one\n'.repeat(20_000)), delay: 0 } as ScriptedReply
  if (/You report (left|right)/.test(asked) && !/Start two/.test(asked))
    return results.length === 0
      ? call('Read', { file_path: `${/You report (left|right)/.exec(asked)?.[1]}.txt` })
      : say(results.join('\n'))
  if (/Start two/.test(asked)) {
    const child = (side: string) => ({
      description: side,
      prompt: `You report ${side}.txt.`,
      subagent_type: 'general-purpose',
    })
    return results.length === 0 ? call('Agent', child('left'), child('right')) : say(results.join('\n'))
  }
  if (/product/.test(asked))
    return results.length < 2
      ? call('Read', { file_path: results.length === 0 ? 'a.txt' : 'b.txt' })
      : say('17 * 25 = 425')
  if (/note\.txt/.test(asked))
    return results.length === 0 ? call('Read', { file_path: 'note.txt' }) : say(results.join('\n'))
  return say('Hello.')
}

const textsOf = ({ messages }: ScriptedRequest, wanted: 'user' | 'assistant'): string =>
  messages
    .filter(({ role }) => role === wanted)
    .flatMap(({ content }) => content.map((block) => (block.type === 'text' ? block.text : '')))
    .join('\n')

async function checked(
  reply: (request: ScriptedRequest) => ScriptedReply,
  options: { readonly only?: readonly string[]; readonly maxUsd?: number } = {},
) {
  const director: Director = { reply: async (request) => reply(request) }
  const server = await startScriptedServer({ director, requireKey: KEY, models: [MODEL] })
  onTestFinished(() => server.close())
  return live({
    address: server.baseUrl,
    credential: { name: 'x-api-key', value: KEY },
    model: MODEL,
    maxUsd: options.maxUsd ?? 1,
    only: options.only ?? [],
    program: PROGRAM,
    settings: withoutSandbox,
  })
}

const verdicts = (checks: readonly CheckOutcome[]) =>
  Object.fromEntries(
    checks.map(({ name, kind, shown }) => [name, kind === 'verified' ? kind : `${kind}: ${shown}`]),
  )

test('an obedient model passes all ten checks, and the key is in no exchange', async () => {
  const { checks, exchanges, usd } = await checked(obey)
  expect(verdicts(checks)).toEqual(
    Object.fromEntries(
      [
        'models',
        'exchange',
        'tool',
        'thinking',
        'cache',
        'edit',
        'subagents',
        'denial',
        'resume',
        'refusals',
      ].map((name) => [name, 'verified']),
    ),
  )
  expect(usd).toBeGreaterThan(0)
  expect(JSON.stringify(exchanges)).not.toContain(KEY)
})

test('a model that only talks: what it did not do is not verified', async () => {
  const { checks } = await checked(() => ({ blocks: [{ type: 'text', text: 'Surely.' }] }), {
    only: ['exchange', 'tool', 'thinking', 'cache', 'edit', 'subagents', 'denial'],
  })
  expect(checks.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    'exchange failed',
    'tool absent',
    'thinking absent',
    'cache absent',
    'edit failed',
    'subagents absent',
    'denial absent',
  ])
})

test('no request goes out that would pass the limit', async () => {
  const { checks, usd } = await checked(obey, { only: ['exchange'], maxUsd: 0.0001 })
  expect(checks[0]).toMatchObject({ kind: 'failed', shown: expect.stringContaining('The limit of $0.0001') })
  expect(usd).toBe(0)
})

test('only who knows the gate’s key uses the real one', async () => {
  const server = await startScriptedServer({
    director: { reply: async (request) => obey(request) },
    requireKey: KEY,
  })
  const gate = await openGate({
    address: server.baseUrl,
    credential: { name: 'x-api-key', value: KEY },
    maxUsd: 1,
  })
  onTestFinished(async () => {
    await gate.close()
    await server.close()
  })
  const listed = async (apiKey: string) => {
    const client = createAnthropicClient({ apiKey, baseUrl: gate.baseUrl, clock: createSystemClock() })
    return (await client.listModels(new AbortController().signal)).ok
  }
  expect(await listed('another')).toBe(false)
  expect(await listed(gate.key)).toBe(true)
})
