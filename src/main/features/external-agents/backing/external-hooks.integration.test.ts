/** Hooks of an agent that an external agent carries out: at its start, at its calls, and at the end of its answer. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { HandlerContext, InterceptorHandlers } from '../../../runtime/ports/interceptors.ts'
import { childrenOf, eventsOf } from '../../../runtime/testing/scripts.ts'
import { createExternalRuntime, type ExternalRuntime } from './testing/external-runtime.ts'

async function begin(
  mode: string,
  handlers: InterceptorHandlers,
  {
    started = () => {},
    agent = null,
  }: {
    readonly started?: (troupe: ExternalRuntime, id: string) => void
    /** The main agent; null: a model of Troupe, which starts the program. */
    readonly agent?: string | null
  } = {},
) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-hooks-')))
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }))
  const folder = join(top, 'project')
  mkdirSync(folder)
  const interceptors = { list: async () => [{ source: 'hook check.sh', timeLimitMs: 60_000, handlers }] }
  const troupe = createExternalRuntime({
    folder,
    data: join(top, 'data'),
    mode,
    test: { ports: { interceptors } },
  })
  onTestFinished(() => troupe.runtime.close())
  const id = await troupe.start(agent === null ? {} : { agent })
  started(troupe, id)
  await troupe.runtime.settled(id)
  const agentId = (agent === null ? childrenOf(troupe)[0] : troupe.events[0])?.agentId ?? ''
  const reports = () =>
    eventsOf(troupe, agentId).flatMap((event) =>
      event.type === 'assistant-message'
        ? event.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
        : [],
    )
  return { troupe, folder, id, agentId, reports, state: () => troupe.runtime.state(id, agentId) }
}

/** Remembers the calls of the program that have ended. */
function resultsOf(answer: { readonly context?: string; readonly stop?: string } | null = null) {
  const results: unknown[] = []
  const handlers: InterceptorHandlers = {
    async 'tool-result'({ tool, input, isError }, { agent }) {
      if (agent.parentId === null) return null
      results.push({ tool, input, isError })
      return answer
    },
  }
  return { results, handlers }
}

test('a call that ended is told with the names of Troupe’s tools; the program reads what is added in its next prompt', async () => {
  const { results, handlers } = resultsOf({ context: 'The linter found nothing.' })
  const { troupe, folder, id, agentId, reports } = await begin('works', handlers)
  expect(results).toEqual([{ tool: 'Edit', input: { file_path: join(folder, 'notes.txt') }, isError: false }])
  expect(reports().join('\n')).not.toContain('The linter')
  await troupe.runtime.dispatch({
    type: 'conversation.send',
    conversationId: id,
    agentId,
    content: 'And now?',
  })
  await troupe.runtime.settled(id)
  expect(reports().at(-1)).toMatch(/^Prompt \d[\s\S]*The linter found nothing\.[\s\S]*And now\?/)
})

test('a hook that stops after a call cancels the turn', async () => {
  const { results, handlers } = resultsOf({ stop: 'Enough.' })
  const { reports, state } = await begin('call-and-wait', handlers)
  expect(results).toEqual([{ tool: 'Bash', input: { command: 'make all' }, isError: false }])
  expect(reports().join('')).toContain('Canceled.')
  expect(state()?.status).toBe('stopped')
})

test.each(['tool-call', 'permission-request'] as const)(
  'a hook that stops at %s refuses the call and cancels the turn',
  async (point) => {
    const stops = async (_: unknown, { agent }: HandlerContext) =>
      agent.parentId === null ? null : { stop: 'Enough.' }
    const { troupe, agentId, reports, state } = await begin('ask-and-wait', { [point]: stops })
    expect(state()).toMatchObject({ status: 'stopped', stoppedBy: 'hook', requests: [] })
    expect(reports().join('')).toContain('Canceled.')
    const told = eventsOf(troupe, agentId).flatMap((event) =>
      event.type === 'interceptor-verdict' ? [event] : [],
    )
    expect(told).toMatchObject([{ point, verdict: 'stopped', reason: 'Enough.' }])
  },
)

test('a hook that stops a write of the program leaves the file as it is and cancels the turn', async () => {
  const { folder, state } = await begin('files', {
    'tool-call': async ({ tool }) => (tool === 'Write' ? { stop: 'Enough.' } : null),
  })
  expect(existsSync(join(folder, 'written.txt'))).toBe(false)
  expect(state()).toMatchObject({ status: 'stopped', stoppedBy: 'hook' })
})

test('what a hook adds at the start is in the first prompt; one that stops there starts no program', async () => {
  const added = await begin('works', {
    'subagent-start': async ({ task, isResumed }, { agent }) =>
      agent.type === 'outsider' ? { context: `${task} ${isResumed}: it is Friday.` } : null,
  })
  expect(added.reports().at(-1)).toMatch(/^Prompt 1[\s\S]*outside false: it is Friday\./)

  const stopped = await begin('works', { 'subagent-start': async () => ({ stop: 'Not on Fridays.' }) })
  expect(stopped.state()).toMatchObject({ status: 'stopped', stoppedBy: 'hook', program: null })
  expect(stopped.reports()).toEqual([])
})

test('a message that a hook refuses never reaches the program', async () => {
  const { troupe, id, agentId, reports } = await begin('works', {
    'user-message': async ({ text }) => (text.includes('secret') ? { deny: 'No secrets.' } : null),
  })
  const before = reports().length
  const sent = await troupe.runtime.dispatch({
    type: 'conversation.send',
    conversationId: id,
    agentId,
    content: 'The secret is 5.',
  })
  expect(sent).toMatchObject({ ok: false, failure: { type: 'refused' } })
  await troupe.runtime.settled(id)
  expect(reports()).toHaveLength(before)
})

test('as the main agent it gets what hooks add to the session and to its message, and is told of as idle', async () => {
  const kinds: string[] = []
  const { reports } = await begin(
    'works',
    {
      'session-start': async ({ isResumed }) => (isResumed ? null : { context: 'The branch is red.' }),
      'user-message': async () => ({ context: 'It is Friday.' }),
      async notification({ kind }, { agent }) {
        kinds.push(`${agent.type}: ${kind}`)
        return null
      },
    },
    { agent: 'outsider' },
  )
  expect(reports().at(-1)).toMatch(/^Prompt 1[\s\S]*The branch is red\.[\s\S]*It is Friday\./)
  expect(kinds).toEqual(['outsider: idle'])
})

test.each([
  ['ask-and-wait', 'permission-request'],
  ['question', 'form'],
] as const)('a notification tells what the program wants from the user: %s', async (mode, kind) => {
  const told: unknown[] = []
  let stop = (): unknown => null
  await begin(
    mode,
    {
      async notification(facts, { agent }) {
        if (agent.parentId === null) return null
        told.push({ kind: facts.kind, type: agent.type, isText: facts.text !== '' })
        stop()
        return null
      },
    },
    {
      started: (troupe, id) => {
        stop = () => void troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
      },
    },
  )
  expect(told).toEqual([{ kind, type: 'outsider', isText: true }])
})

test('what a hook adds to a message that waits for the program is in its prompt', async () => {
  let send = (_: string): Promise<unknown> => Promise.resolve()
  let isSent = false
  const { reports } = await begin(
    'works',
    {
      async 'tool-result'(_, { agent }) {
        if (agent.parentId === null || isSent) return null
        isSent = true
        await send(agent.id)
        return null
      },
      'user-message': async ({ text }) => (text === 'And then?' ? { context: 'It is Friday.' } : null),
    },
    {
      started: (troupe, conversationId) => {
        send = (agentId) =>
          troupe.runtime.dispatch({
            type: 'conversation.send',
            conversationId,
            agentId,
            content: 'And then?',
          })
      },
    },
  )
  expect(reports().at(-1)).toMatch(/And then\?[\s\S]*It is Friday\./)
})

test('a call that was refused did not run', async () => {
  const { results, handlers } = resultsOf()
  const { troupe, agentId } = await begin('command', {
    ...handlers,
    'tool-call': async (_, { agent }) => (agent.parentId === null ? null : { deny: 'Not on Fridays.' }),
  })
  expect(eventsOf(troupe, agentId).filter(({ type }) => type === 'tool-ended')).toHaveLength(1)
  expect(results).toEqual([])
})

test('a reason to continue is the next prompt, with what hooks added to calls', async () => {
  const { handlers } = resultsOf({ context: 'The linter found nothing.' })
  const ends: unknown[] = []
  const { reports, state } = await begin('works', {
    ...handlers,
    async 'subagent-stop'({ text, continuations, canContinue }) {
      ends.push({ isText: text.startsWith('Prompt'), continuations, canContinue })
      return continuations === 0 ? { continue: 'Run the tests.' } : null
    },
  })
  expect(ends).toMatchObject([
    { continuations: 0, canContinue: true },
    { continuations: 1, canContinue: true },
  ])
  expect(reports().at(-1)).toMatch(
    /^Prompt 2[\s\S]*The linter found nothing\.[\s\S]*Do not stop yet: Run the tests\./,
  )
  expect(state()?.status).toBe('completed')
})

test('hooks that never let it stop are ignored in the end', async () => {
  let asked = 0
  const { reports } = await begin('works', {
    async 'subagent-stop'() {
      asked++
      return { continue: 'More.' }
    },
  })
  expect(asked).toBe(9)
  expect(reports().filter((text) => text.startsWith('Prompt'))).toHaveLength(9)
})

test('a hook that stops at the end is stronger than one that continues', async () => {
  const { reports } = await begin('works', {
    'subagent-stop': async () => ({ continue: 'More.', stop: 'Enough.' }),
  })
  expect(reports().filter((text) => text.startsWith('Prompt'))).toHaveLength(1)
})
