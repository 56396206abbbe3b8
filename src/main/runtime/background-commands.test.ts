/** Commands in the background: Bash with run_in_background, TaskOutput and TaskStop. */
import { describe, expect, test } from 'vitest'
import type { ShellEnd, ShellRun } from './ports/shell.ts'
import type { AnyTool, BackgroundWork, ToolOutcome } from './ports/tool.ts'
import { lastWords, type Script } from './testing/scripted-model.ts'
import { agentCall, type Call, childrenOf, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, type TestRuntime } from './testing/test-runtime.ts'

/** Commands that run until a test or a stop ends them. */
function heldShell() {
  const runs: { readonly run: ShellRun; end(exitCode: number): void }[] = []
  const shell = (run: ShellRun) =>
    new Promise<ShellEnd>((resolve) => {
      const end = (ended: ShellEnd['ended'], exitCode: number | null) =>
        resolve({ output: 'all of it', exitCode, ended, cwd: run.cwd })
      run.signal.addEventListener('abort', () => end('aborted', null), { once: true })
      runs.push({ run, end: (exitCode) => end('exit', exitCode) })
    })
  return { runs, shell }
}

const serve: Call = [
  'Bash',
  { command: 'npm run dev', run_in_background: true, description: 'Starts the server' },
]
const idOf = (troupe: TestRuntime): string => {
  const started = troupe.events.find((event) => event.type === 'command-started')
  if (started?.type !== 'command-started') throw new Error('no command')
  return started.commandId
}
const mainRequests = (troupe: TestRuntime) => troupe.model.requests.filter(isMain)

/** The main agent starts a server and continues with these answers. */
function serving(main: (troupe: TestRuntime) => readonly Script[], child: Script = () => ({ text: '' })) {
  const held = heldShell()
  const troupe: TestRuntime = createTestRuntime({
    script: script(
      [
        { calls: [serve] },
        ...main({} as TestRuntime).map(
          (_, at): Script =>
            (...given) =>
              main(troupe)[at]!(...given),
        ),
      ],
      child,
    ),
    policy: { trusted: () => true },
    shell: held.shell,
  })
  return { ...held, troupe }
}
const begin = (troupe: TestRuntime) => troupe.begin('Go', { permissionMode: 'acceptEdits' })

/** Allows every request. */
function allowAll(troupe: TestRuntime, conversationId: string): void {
  void troupe.when('permission-asked').then(({ agentId, requestId }) =>
    troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId,
      agentId,
      requestId,
      answer: { decision: 'allow-once' },
    }),
  )
}

describe('a command in the background', () => {
  test('returns at once; its output is read in parts, and its end is told once', async () => {
    const { troupe, runs } = serving((at) => [
      () => {
        runs[0]!.run.onLines?.('Listening on 3000.\n')
        return { calls: [['TaskOutput', { task_id: idOf(at), block: false }]] }
      },
      () => ({
        calls: [
          ['TaskOutput', { task_id: idOf(at), block: false }],
          ['TaskOutput', { task_id: 'nobody' }],
        ],
      }),
      () => ({ text: 'It runs.' }),
      () => ({ calls: [['TaskOutput', { task_id: idOf(at) }]] }),
      () => ({ text: 'It ended.' }),
    ])
    const conversationId = await begin(troupe)
    allowAll(troupe, conversationId)
    const state = await troupe.runtime.settled(conversationId)
    expect(state.commands).toMatchObject([{ command: 'npm run dev', description: 'Starts the server' }])
    const [, started, first, second] = mainRequests(troupe).map((request) => lastWords(request))
    expect(started).toContain(`its id is ${idOf(troupe)}`)
    expect(first).toContain('Listening on 3000.\n[Still running.]')
    expect(second).toContain('[No new output.]\n[Still running.]')
    expect(second).toContain(
      `You started no command or agent nobody. In the background: ${idOf(troupe)} (npm run dev).`,
    )

    // The end wakes the idle main agent.
    runs[0]!.run.onLines?.('Crashed.\n')
    runs[0]!.end(3)
    await expect.poll(() => mainRequests(troupe)).toHaveLength(6)
    const ended = await troupe.runtime.settled(conversationId)
    expect(ended.commands).toEqual([])
    const [notice, last] = mainRequests(troupe)
      .slice(4)
      .map((request) => lastWords(request))
    expect(notice).toContain('has ended: exit code 3')
    expect(last).toContain('Crashed.\n[It has ended: exit code 3.')
    expect(ended.lastLine).toBe('It ended.')
  })

  test('is judged by the permission rules like any other command', async () => {
    const { troupe, runs } = serving(() => [() => ({ text: 'Done.' })])
    const conversationId = await begin(troupe)
    const { agentId, requestId, subject } = await troupe.when('permission-asked')
    expect(subject.text).toBe('npm run dev')
    expect(runs).toEqual([])
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId,
      agentId,
      requestId,
      answer: { decision: 'deny', feedback: null },
    })
    await troupe.runtime.settled(conversationId)
    expect(runs).toEqual([])
  })

  test('is stopped by TaskStop, without a notice', async () => {
    const { troupe, runs } = serving((at) => [
      () => ({ calls: [['TaskStop', { task_id: idOf(at) }]] }),
      () => ({ text: 'Stopped.' }),
    ])
    const conversationId = await begin(troupe)
    allowAll(troupe, conversationId)
    const state = await troupe.runtime.settled(conversationId)
    expect(runs[0]!.run.signal.aborted).toBe(true)
    expect(state.commands).toEqual([])
    expect(mainRequests(troupe)).toHaveLength(3)
    expect(troupe.events).toContainEqual(expect.objectContaining({ type: 'command-ended', by: 'agent' }))
  })

  test('is stopped by the user, and the agent is told', async () => {
    const { troupe } = serving(() => [() => ({ text: 'Runs.' }), () => ({ text: 'I see.' })])
    const conversationId = await begin(troupe)
    allowAll(troupe, conversationId)
    const { id: agentId } = await troupe.runtime.settled(conversationId)
    const command = { conversationId, agentId, commandId: idOf(troupe) }
    expect(await troupe.runtime.dispatch({ type: 'agent.stopCommand', ...command })).toMatchObject({
      ok: true,
    })
    expect(await troupe.runtime.dispatch({ type: 'agent.stopCommand', ...command })).toMatchObject({
      ok: false,
    })
    await expect.poll(() => mainRequests(troupe)).toHaveLength(3)
    expect(lastWords(mainRequests(troupe)[2]!)).toContain('the user stopped it')
  })

  test.each(['stopConversation', 'close'] as const)('of the main agent ends with %s', async (how) => {
    const { troupe, runs } = serving(() => [() => ({ text: 'Runs.' })])
    const conversationId = await begin(troupe)
    allowAll(troupe, conversationId)
    await troupe.runtime.settled(conversationId)
    expect(runs[0]!.run.signal.aborted).toBe(false)
    if (how === 'close') await troupe.runtime.close()
    else await troupe.runtime.dispatch({ type: 'conversation.stop', conversationId })
    expect(runs[0]!.run.signal.aborted).toBe(true)
    expect(troupe.events).toContainEqual(expect.objectContaining({ type: 'command-ended', by: 'run' }))
    expect(mainRequests(troupe)).toHaveLength(2)
  })

  test('of a subagent ends with it, and its report says so', async () => {
    const { shell, runs } = heldShell()
    const troupe = createTestRuntime({
      script: script([{ calls: [agentCall('one')] }, { text: 'Done.' }], (request) =>
        lastWords(request).includes('its id is') ? { text: 'Served.' } : { calls: [serve] },
      ),
      shell,
    })
    const conversationId = await begin(troupe)
    allowAll(troupe, conversationId)
    await troupe.runtime.settled(conversationId)
    expect(runs[0]!.run.signal.aborted).toBe(true)
    expect(lastWords(mainRequests(troupe)[1]!)).toContain(
      'These commands and calls ran in the background and were ended with the agent:\n- npm run dev',
    )
    const [child] = childrenOf(troupe)
    expect(troupe.runtime.state(conversationId, child!.agentId)?.commands).toEqual([])
    const log = troupe.store.logs.get(child!.agentId)?.map(({ type }) => type) ?? []
    expect(log.indexOf('command-ended')).toBeLessThan(log.indexOf('agent-ended'))
  })

  test('of another agent can be neither read nor stopped', async () => {
    const { troupe, runs } = serving(
      (at) => [() => ({ calls: [agentCall('one')] }), () => ({ text: `Done ${idOf(at)}.` })],
      (request) =>
        request.messages.length > 1
          ? { text: lastWords(request) }
          : { calls: ['TaskOutput', 'TaskStop'].map((name): Call => [name, { task_id: idOf(troupe) }]) },
    )
    const conversationId = await begin(troupe)
    allowAll(troupe, conversationId)
    await troupe.runtime.settled(conversationId)
    const child = troupe.model.requests.filter((request) => !isMain(request))
    expect(lastWords(child[1]!).split('You started no command or agent')).toHaveLength(3)
    expect(runs[0]!.run.signal.aborted).toBe(false)
  })

  test('whose program died counts as ended, and the main agent is told', async () => {
    const { troupe } = serving(() => [() => ({ text: 'Runs.' })])
    const conversationId = await begin(troupe)
    allowAll(troupe, conversationId)
    await troupe.runtime.settled(conversationId)
    const after = createTestRuntime({ store: troupe.store.afterCrash(), script: () => ({ text: 'I see.' }) })
    const snapshot = await after.runtime.snapshot(conversationId)
    expect(snapshot.ok && snapshot.value.agents[0]?.commands).toEqual([])
    await after.say(conversationId, 'Go on')
    const state = await after.runtime.settled(conversationId)
    expect(state.commands).toEqual([])
    expect(lastWords(after.model.requests[0]!)).toContain('was ended because the program ended: npm run dev')
  })
})

describe('a call of a tool that goes on in the background', () => {
  /** A tool whose call never answers in time; `work` holds the calls that went on. */
  function slow() {
    const work: { finish(outcome: ToolOutcome): void; stopped: boolean; gone: BackgroundWork | string }[] = []
    const tool: AnyTool = {
      name: 'mcp__one__search',
      aliases: [],
      description: 'Searches for long.',
      schema: { type: 'object', properties: {} },
      kind: 'read',
      icon: 'plug',
      label: 'one search',
      concurrent: true,
      sideEffects: () => false,
      summary: () => '',
      target: async () => ({ kind: 'none' }),
      run: async (_, { toBackground }) => {
        const one: (typeof work)[number] = { finish: () => {}, stopped: false, gone: '' }
        const done = new Promise<ToolOutcome>((resolve) => {
          one.finish = resolve
        })
        const stop = () => {
          one.stopped = true
          one.finish({ isError: true, content: 'stopped', note: '' })
        }
        one.gone = toBackground?.({ title: 'Call of mcp__one__search', done, stop }) ?? 'no'
        work.push(one)
        const { gone } = one
        return {
          isError: false,
          note: '',
          content: typeof gone === 'string' ? gone : `goes on as ${gone.id}`,
        }
      },
    }
    return { work, tool }
  }
  const search: Call = ['mcp__one__search', {}]

  async function searching(
    main: (id: () => string) => Parameters<typeof script>[0],
    child: Script = () => ({ text: '' }),
  ) {
    const { work, tool } = slow()
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        main(() => idOf(troupe)),
        child,
      ),
      policy: { trusted: () => true },
    })
    troupe.runtime.tools.add('mcp:one', [tool])
    const conversationId = await begin(troupe)
    return { troupe, work, conversationId }
  }

  test('is read by TaskOutput once it has answered, and its end wakes the agent', async () => {
    const { troupe, work, conversationId } = await searching((id) => [
      { calls: [search] },
      () => ({ calls: [['TaskOutput', { task_id: id(), block: false }]] }),
      { text: 'I wait.' },
      () => ({ calls: [['TaskOutput', { task_id: id() }]] }),
      { text: 'Found.' },
    ])
    const state = await troupe.runtime.settled(conversationId)
    expect(state.commands).toMatchObject([{ command: 'Call of mcp__one__search' }])
    const [, started, running] = mainRequests(troupe).map((request) => lastWords(request))
    expect(started).toContain(`goes on as ${idOf(troupe)}`)
    expect(running).toContain('[Still running.]')
    work[0]?.finish({ isError: false, content: '3 hits', note: '' })
    await expect.poll(() => mainRequests(troupe)).toHaveLength(5)
    await troupe.runtime.settled(conversationId)
    const [notice, result] = mainRequests(troupe)
      .slice(3)
      .map((request) => lastWords(request))
    expect(notice).toContain('A call that went on in the background has ended: it succeeded')
    expect(result).toContain('3 hits\n[It has ended: it succeeded.')
  })

  test('is canceled by TaskStop, which says that it may have taken effect', async () => {
    const { troupe, work, conversationId } = await searching((id) => [
      { calls: [search] },
      () => ({ calls: [['TaskStop', { task_id: id() }]] }),
      { text: 'Stopped.' },
    ])
    await troupe.runtime.settled(conversationId)
    expect(work[0]?.stopped).toBe(true)
    expect(lastWords(mainRequests(troupe)[2]!)).toContain('was canceled. It may have taken effect')
  })

  test('of a subagent ends with it', async () => {
    const { troupe, work, conversationId } = await searching(
      () => [{ calls: [agentCall('one')] }, { text: 'Done.' }],
      (request) => (request.messages.length > 1 ? { text: 'I am done.' } : { calls: [search] }),
    )
    await troupe.runtime.settled(conversationId)
    expect(work[0]?.stopped).toBe(true)
    expect(lastWords(mainRequests(troupe)[1]!)).toContain('ended with the agent:\n- Call of mcp__one__search')
  })

  test('is refused to an agent that could not read its result', async () => {
    const { work, conversationId, troupe } = await searching(
      () => [{ calls: [agentCall('one', { subagent_type: 'Explore' })] }, { text: 'Done.' }],
      (request) => (request.messages.length > 1 ? { text: 'I am done.' } : { calls: [search] }),
    )
    await troupe.runtime.settled(conversationId)
    expect(work[0]?.gone).toBe('you have no TaskOutput to read its result later')
  })
})
