import { expect, test } from 'vitest'
import { ok } from '../../shared/kernel/result.ts'
import type { ChangeJournal } from './ports/changes.ts'
import type { ShellEnd, ShellRun } from './ports/shell.ts'
import { createMemoryStore } from './testing/memory-store.ts'
import { freePolicy } from './testing/plain-ports.ts'
import { echo, gate, script } from './testing/scripts.ts'
import { createTestRuntime, FOLDER, type TestOptions, type TestRuntime } from './testing/test-runtime.ts'

const ended = (output: string, exitCode: number | null = 0): ShellEnd => ({
  ...{ output, exitCode, ended: 'exit', cwd: FOLDER },
})

function create(options: Partial<TestOptions> = {}): TestRuntime {
  return createTestRuntime({
    script: script([{ text: 'hi' }, { text: 'ok' }, { text: 'ok' }], echo),
    ...options,
  })
}

async function run(troupe: TestRuntime, conversationId: string, command = 'npm test') {
  return troupe.runtime.dispatch({ type: 'conversation.runCommand', conversationId, command })
}

const eventsNamed = (troupe: TestRuntime, type: string) =>
  troupe.events.filter((event) => event.type === type)

const lastRequest = (troupe: TestRuntime): string => JSON.stringify(troupe.model.requests.at(-1)?.messages)

async function begun(troupe: TestRuntime): Promise<string> {
  const id = await troupe.begin('Go')
  await troupe.runtime.settled(id)
  return id
}

test('a command runs in the folder without the sandbox, and its output goes with the next message', async () => {
  const runs: ShellRun[] = []
  const troupe = create({
    shell: async (asked) => {
      runs.push(asked)
      asked.onOutput('1 failed\n')
      return ended('1 failed\n', 1)
    },
  })
  const id = await begun(troupe)
  expect(await run(troupe, id)).toMatchObject({ ok: true })
  await troupe.runtime.settled(id)
  expect(runs).toMatchObject([{ command: 'npm test', cwd: FOLDER }])
  expect(runs[0]?.limits).toBeUndefined()
  expect(eventsNamed(troupe, 'user-command-ended')).toMatchObject([
    { exitCode: 1, by: 'exit', output: '1 failed' },
  ])
  expect(troupe.model.requests).toHaveLength(1)
  await troupe.say(id, 'Fix this.')
  await troupe.runtime.settled(id)
  expect(lastRequest(troupe)).toContain('Command: npm test\\nExit code 1.\\n<output>\\n1 failed\\n</output>')
  await troupe.say(id, 'And now?')
  await troupe.runtime.settled(id)
  expect(lastRequest(troupe).split('Command: npm test')).toHaveLength(2)
})

test('the user can keep the output back, and share it later', async () => {
  const troupe = create({ shell: async () => ended('secret') })
  const id = await begun(troupe)
  const started = await run(troupe, id)
  const commandId = started.ok ? started.value.commandId : ''
  await troupe.runtime.settled(id)
  const share = (value: boolean) =>
    troupe.runtime.dispatch({
      type: 'conversation.shareCommand',
      ...{ conversationId: id, commandId, share: value },
    })
  await share(false)
  await troupe.say(id, 'One')
  await troupe.runtime.settled(id)
  expect(lastRequest(troupe)).not.toContain('secret')
  await share(true)
  await troupe.say(id, 'Two')
  await troupe.runtime.settled(id)
  expect(lastRequest(troupe)).toContain('secret')
  expect(await share(false)).toMatchObject({ failure: { type: 'not-found' } })
})

test('the user stops a command; only one runs at a time', async () => {
  const running = gate()
  const troupe = create({
    shell: ({ signal, cwd }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () =>
          resolve({ output: 'so far', exitCode: null, ended: 'aborted', cwd }),
        )
        running.open()
      }),
  })
  const id = await begun(troupe)
  const started = await run(troupe, id, 'npm run dev')
  await running.opened
  expect(await run(troupe, id)).toMatchObject({ failure: { type: 'not-possible' } })
  await troupe.runtime.dispatch({
    type: 'conversation.stopCommand',
    ...{ conversationId: id, commandId: started.ok ? started.value.commandId : '' },
  })
  expect(eventsNamed(troupe, 'user-command-ended')).toMatchObject([{ by: 'user', output: 'so far' }])
})

test('nothing runs in a folder without trust', async () => {
  const troupe = create({
    policy: { ...freePolicy, trusted: () => false },
    shell: () => Promise.reject(new Error('not expected')),
  })
  const id = await begun(troupe)
  expect(await run(troupe, id)).toMatchObject({ failure: { type: 'not-allowed' } })
})

test('what a command changes is recorded as the user’s', async () => {
  const changed = {
    path: `${FOLDER}/a.ts`,
    ...{ shown: 'a.ts', before: null, after: null, added: 1, removed: 0, renamedFrom: null },
    ...{ kept: 'yes' as const, maybeBy: [] },
  }
  const changes: ChangeJournal = {
    begin: async ({ toolUseId }) =>
      ok({
        end: async () => [{ toolUseId, cause: 'command' as const, files: [changed], ignored: 0, note: '' }],
      }),
    recover: async () => [],
  }
  const troupe = create({ ports: { changes }, shell: async () => ended('') })
  const id = await begun(troupe)
  await run(troupe, id, 'npm run format')
  await troupe.runtime.settled(id)
  expect(eventsNamed(troupe, 'files-changed')).toMatchObject([{ cause: 'user', files: [{ shown: 'a.ts' }] }])
})

test('a taken back message leaves the output for the next one', async () => {
  const working = gate()
  const asked = gate()
  const troupe = create({
    script: script(
      [
        async () => {
          asked.open()
          await working.opened
          return { text: 'done' }
        },
        { text: 'ok' },
      ],
      echo,
    ),
    shell: async () => ended('the output'),
  })
  const id = await troupe.begin('Go')
  await asked.opened
  await run(troupe, id)
  const sent = await troupe.runtime.dispatch({
    ...{ type: 'conversation.send', conversationId: id, agentId: null, content: 'Wrong' },
  })
  await troupe.runtime.dispatch({
    ...{ type: 'conversation.unqueue', conversationId: id },
    messageId: sent.ok ? sent.value.messageId : '',
  })
  await troupe.say(id, 'Right')
  working.open()
  await troupe.runtime.settled(id)
  expect(lastRequest(troupe)).toContain('the output')
  expect(lastRequest(troupe)).not.toContain('Wrong')
})

test('a command of a program that died has an end after the next start', async () => {
  const store = createMemoryStore()
  const started = gate()
  const dying = create({
    store,
    shell: () => {
      started.open()
      return new Promise(() => {})
    },
  })
  const id = await begun(dying)
  await run(dying, id, 'sleep 100')
  await started.opened
  const troupe = create({ store: store.afterCrash() })
  await troupe.say(id, 'Go on')
  await troupe.runtime.settled(id)
  expect(eventsNamed(troupe, 'user-command-ended')).toMatchObject([{ by: 'lost' }])
  expect(lastRequest(troupe)).toContain('It was interrupted.')
})
