import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type ScenarioRuntime, scenarioRuntime } from './testing/scenario-runtime.ts'

let troupe: ScenarioRuntime | null = null
afterEach(async () => {
  const refused = troupe?.server.requests.filter(({ status }) => status >= 400) ?? []
  await troupe?.close()
  troupe = null
  expect(refused.map(({ text }) => text.slice(0, 300))).toEqual([])
})

async function open(...args: Parameters<typeof scenarioRuntime>): Promise<ScenarioRuntime> {
  troupe = await scenarioRuntime(...args)
  return troupe
}

interface Body {
  readonly model: string
  readonly system: unknown
  readonly tools: unknown
  readonly messages: readonly { readonly role: string; readonly content: readonly object[] }[]
}
const bodies = ({ server }: ScenarioRuntime) => server.requests.map(({ body }) => body as Body)
const isFork = (body: Body) => JSON.stringify(body.messages).includes('You are a subagent now')
/** Cache breakpoints move between requests, so prefixes are compared by their text alone. */
const withoutMarks = (value: unknown) =>
  JSON.stringify(value, (key, field: unknown) => (key === 'cache_control' ? undefined : field))
const textOf = async (path: string) => readFile(path, 'utf8').catch(() => '')

describe('forks', () => {
  const critic = '---\nname: critic\ndescription: Finds gaps.\nforkContext: true\n---\nYou look for gaps.\n'

  test('share their parent’s prefix: the same bytes, read from the cache', async () => {
    const at = await open('fork')
    await mkdir(join(at.folder, '.claude', 'agents'), { recursive: true })
    await writeFile(join(at.folder, '.claude', 'agents', 'critic.md'), critic)
    const id = await at.begin('Look, then ask two.')
    const state = await at.program.runtime.settled(id)
    expect(state.status).toBe('waiting')

    const all = bodies(at)
    const main = all.filter((body) => !isFork(body))[1]
    const forks = all
      .filter(isFork)
      .filter((body) => body.messages.length === (main?.messages.length ?? 0) + 2)
    expect(forks).toHaveLength(2)
    for (const fork of forks) {
      expect(fork.model).toBe(main?.model)
      expect(withoutMarks(fork.system)).toBe(withoutMarks(main?.system))
      expect(withoutMarks(fork.tools)).toBe(withoutMarks(main?.tools))
      expect(withoutMarks(fork.messages.slice(0, main?.messages.length))).toBe(withoutMarks(main?.messages))
    }
    const spawned = at.events.filter((event) => event.type === 'agent-spawned' && event.parentId !== null)
    const mainPrompt = at.events.find(
      (event) => event.type === 'assistant-message' && event.agentId === state.id && event.turn === 2,
    )
    if (mainPrompt?.type !== 'assistant-message') throw new Error('The main agent said nothing.')
    const prefix = mainPrompt.usage.cacheRead + mainPrompt.usage.cacheWrite
    for (const { agentId } of spawned) {
      const first = at.events.find((event) => event.agentId === agentId && event.type === 'assistant-message')
      expect(first).toMatchObject({ usage: { cacheRead: prefix } })
    }
    // A fork's own calls run; calls that a fork may not make are refused.
    expect((await textOf(join(at.folder, 'forks.txt'))).trim().split('\n').sort()).toEqual([
      'fork 1',
      'fork 2',
    ])
    expect(withoutMarks(all.at(-1)?.messages)).toContain('a fork starts no agents')
  })
})

describe('in the background', () => {
  test('the main agent continues, is woken once, and the notice survives a restart', async () => {
    const at = await open('background')
    const id = await at.begin('Count in the background.')
    const state = await at.program.runtime.settled(id)
    expect(state.status).toBe('waiting')
    const said = at.events.flatMap((event) =>
      event.type === 'assistant-message' && event.agentId === state.id
        ? event.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
        : [],
    )
    expect(said.slice(0, 2)).toEqual(['I start it and go on.', 'I go on meanwhile.'])
    expect(said.filter((text) => text.includes('It is told'))).toHaveLength(1)
    const child = at.events.find((event) => event.type === 'agent-spawned' && event.background)
    const told = withoutMarks(bodies(at).at(-1)?.messages)
    expect(told).toContain(
      `The agent general-purpose (Count lines) works in the background; its id is ${child?.agentId}.`,
    )
    expect(await textOf(join(at.home, 'tasks', child?.agentId ?? '', 'transcript.jsonl'))).toContain(
      'agent-ended',
    )
  })
})

describe('messages', () => {
  test('resume an agent, or wait in a mailbox on disk', async () => {
    const at = await open('messages')
    const id = await at.begin('Ask Ada.')
    const state = await at.program.runtime.settled(id)
    expect(state.lastLine).toBe('Ada says that the tests are fine.')
    const spawned = at.events.filter((event) => event.type === 'agent-spawned')
    expect(spawned).toHaveLength(2)
    const box = join(at.home, 'mailboxes', 'somebody-else', 'new')
    const [letter = ''] = await readdir(box)
    expect(await textOf(join(box, letter))).toContain('Are you there?')
  })
})

describe('limits', () => {
  test('of money end a conversation with a report, and raising them resumes it', async () => {
    const at = await open('endless', { conversationUsd: 0.05 })
    const id = await at.begin('Go.')
    const state = await at.program.runtime.settled(id)
    expect(state).toMatchObject({ reachedLimit: 'money', limitOf: 'conversation' })
    const child = at.events.findLast((event) => event.type === 'agent-ended' && event.agentId !== state.id)
    expect(child).toMatchObject({ reachedLimit: 'money', limitOf: 'conversation', status: 'completed' })
    const made = at.server.requests.length
    await at.program.runtime.dispatch({
      type: 'conversation.setLimits',
      conversationId: id,
      limits: { tokens: null, usd: 0.1, ms: null, spawns: null },
    })
    await at.program.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId: state.id })
    await at.program.runtime.settled(id)
    expect(at.server.requests.length).toBeGreaterThan(made)
  })

  test('of tokens end a subagent, and its parent continues', async () => {
    const at = await open('endless', { agentTokens: 20_000 })
    const state = await at.program.runtime.settled(await at.begin('Go.'))
    expect(state.status).toBe('waiting')
    expect(withoutMarks(bodies(at).at(-1)?.messages)).toContain('and stop here.')
    const child = at.events.find((event) => event.type === 'agent-ended')
    expect(child).toMatchObject({ reachedLimit: 'tokens', limitOf: 'agent' })
  })
})
