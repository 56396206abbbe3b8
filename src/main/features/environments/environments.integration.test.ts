/** Environments of worktrees through the whole program, in the real sandbox. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type EnvironmentBench, environmentBench } from './testing/environment-bench.ts'

let bench: EnvironmentBench
afterEach(() => bench.close())

const WORK = 'echo work > work.txt'
const SERVER =
  "node -e \"require('http').createServer((q, a) => a.end('served by ' + process.env.TROUPE_PORT)).listen(process.env.PORT)\""

const open = (yaml: string, more: Readonly<Record<string, string>> = {}, settings = {}) =>
  environmentBench({ '.troupe/environment.yaml': yaml, ...more }, settings).then((made) => {
    bench = made
  })

test('an agent waits until its worktree is set up, and is told about it and its ports', async () => {
  await open('setup:\n  - echo one > made; echo first line\n  - echo $TROUPE_PORT >> made\n')
  await bench.approve()
  const { done } = await bench.agent('Wait', `cat made; echo port=$TROUPE_PORT; ${WORK}`)
  await done
  const row = await bench.row()
  const { base, setup } = row.state
  expect(setup).toMatchObject({ kind: 'ready', last: 'echo $TROUPE_PORT >> made' })
  expect(await readFile(join(row.path, 'made'), 'utf8')).toBe(`one\n${base}\n`)
  const told = bench.told()
  expect(told).toContain(
    'Your worktree is set up: `echo one > made; echo first line`, `echo $TROUPE_PORT >> made` ended well.',
  )
  expect(told).toContain(`The ports ${base} to ${Number(base) + 9} are yours alone`)
  expect(told).toContain(`one\\n${base}\\nport=${base}`)
  expect(await bench.logText('setup')).toBe(
    '$ echo one > made; echo first line\nfirst line\n$ echo $TROUPE_PORT >> made',
  )
})

test('an agent waits for the approval of the commands, and works without the set-up that the user skips', async () => {
  await open('setup: echo made > made')
  const { done } = await bench.agent('Skip', WORK)
  expect(await bench.waiting()).toContain('Waits for your approval')
  const { id, path } = await bench.row()
  expect(existsSync(join(path, 'made'))).toBe(false)
  await bench.program().environments.skip({ folder: bench.folder, id })
  await done
  expect(existsSync(join(path, 'made'))).toBe(false)
  expect(bench.told()).toContain('The user skipped the set-up of your worktree')
})

test('commands that are only proposed keep no agent waiting', async () => {
  const made = await environmentBench({ Makefile: 'setup:\n\techo made > made\n' }, {})
  bench = made
  const { done } = await bench.agent('Begin', WORK)
  await done
  expect(bench.told()).toContain('the user has not approved the commands for it')
  expect((await bench.row()).state.setup.kind).toBe('none')
})

test('an approval that comes while the agent waits begins its set-up', async () => {
  await open('setup: echo made > made')
  const { done } = await bench.agent('Approve', WORK)
  await bench.waiting()
  await bench.approve()
  await done
  expect((await bench.row()).state.setup.kind).toBe('ready')
})

test.each([
  ['Approve', 'ready', true],
  ['Skip here', 'skipped', false],
  ['Refuse', 'none', false],
])('the agent that waits asks the user, who answers "%s" in its panel', async (label, kind, isMade) => {
  await open('setup: echo made > made')
  const { done } = await bench.agent('Ask', WORK)
  const { agentId, formId, form } = await bench.form()
  const { conversationId } = await bench.row()
  const [question] = form.kind === 'questions' ? form.questions : []
  expect(question?.question).toContain('.troupe/environment.yaml')
  expect(question?.question).toContain('set-up: echo made > made')
  const values = { [question?.question ?? '']: label }
  const { runtime } = bench.program()
  await runtime.dispatch({
    ...{ type: 'agent.answerForm', conversationId, agentId, formId },
    answer: { action: 'accept', values },
  })
  await done
  const { state, path } = await bench.row()
  expect(state.setup.kind).toBe(kind)
  expect(existsSync(join(path, 'made'))).toBe(isMade)
})

test('a question about commands that were approved elsewhere is withdrawn', async () => {
  await open('setup: echo made > made')
  const { done } = await bench.agent('Elsewhere', WORK)
  const { agentId } = await bench.form()
  const { conversationId } = await bench.row()
  await bench.approve()
  await done
  expect(bench.program().runtime.state(conversationId, agentId)?.forms ?? []).toEqual([])
  expect((await bench.row()).state.setup.kind).toBe('ready')
})

test('an agent starts beside the set-up by setting, and is told when it has ended', async () => {
  await open('setup: while [ ! -e work.txt ]; do sleep 0.1; done', {}, { worktreeSetup: 'beside' })
  await bench.approve()
  const { done } = await bench.agent('Beside', WORK, 'sleep 2', 'true')
  await done
  expect(bench.told()).toContain('what it installs may be missing')
  expect(bench.told()).toContain('ended well.')
})

test('a failed set-up is a state with its reason, the agent works on, and it can be tried again', async () => {
  await open('setup: "test -e ready || { echo Error: no ready file; exit 3; }"')
  await bench.approve()
  await (await bench.agent('Fail', WORK)).done
  const { id, path, state } = await bench.row()
  expect(state.setup).toMatchObject({ kind: 'failed', exitCode: 3, error: 'Error: no ready file' })
  expect(bench.told()).toContain('Error: no ready file What it installs may be missing.')
  await writeFile(join(path, 'ready'), '')
  expect(await bench.program().environments.setUp({ folder: bench.folder, id })).toEqual({
    ok: true,
    value: undefined,
  })
  expect(
    (await bench.until(({ setup }) => setup.kind !== 'running' && setup.kind !== 'failed')).setup.kind,
  ).toBe('ready')
})

test('commands that change after their approval, or whose script changes, wait again', async () => {
  await open('setup: ./setup.sh', { 'setup.sh': '#!/bin/sh\necho harmless > made\n' })
  await bench.approve()
  await writeFile(join(bench.folder, 'setup.sh'), '#!/bin/sh\necho changed > made\n')
  expect((await bench.program().environments.state(bench.folder)).commands?.approval.state).toBe('changed')
  const { done } = await bench.agent('Changed', WORK)
  await bench.waiting()
  const { id, path, state } = await bench.row()
  expect(state.setup.kind).toBe('none')
  expect(await bench.program().environments.setUp({ folder: bench.folder, id })).toMatchObject({
    failure: { type: 'waiting' },
  })
  await writeFile(join(bench.folder, 'setup.sh'), '#!/bin/sh\necho harmless > made\n')
  await bench.program().environments.setUp({ folder: bench.folder, id })
  await done
  expect(await readFile(join(path, 'made'), 'utf8')).toBe('harmless\n')
})

test('a decision about commands that were not shown is refused', async () => {
  await open('setup: echo a')
  const { commands } = await bench.program().environments.state(bench.folder)
  await writeFile(join(bench.folder, '.troupe/environment.yaml'), 'setup: echo b')
  const decided = await bench
    .program()
    .environments.decide({ folder: bench.folder, digest: commands?.digest ?? '', decision: 'approved' })
  expect(decided).toMatchObject({ ok: false, failure: { type: 'moved' } })
})

test('a set-up stays in the sandbox: it writes nowhere else and reaches no host', async () => {
  const outside = `/var/tmp/troupe-escaped-${process.pid}`
  const tries = [outside, '../escaped', join('$HOME', 'escaped')].map((path) => `echo x > ${path}`)
  await open('setup: ./escape.sh', {
    'escape.sh': `#!/bin/sh\n${tries.join('\n')}\ncurl -s http://localhost:$1 && exit 1\necho x > made\n`,
  })
  await bench.approve()
  await (await bench.agent('Escape', WORK)).done
  const { path, state } = await bench.row()
  expect(state.setup).toMatchObject({ kind: 'ready' })
  expect([outside, join(path, '../escaped'), join(bench.base, 'home/escaped')].filter(existsSync)).toEqual([])
})

test('a server is reached by the browser and by the commands of other agents at one port, and ends with all it started', async () => {
  await open(`run:\n  web:\n    command: '${SERVER.replaceAll("'", "''")} & wait'\n    portVariable: PORT\n`)
  await bench.approve()
  await (await bench.agent('Serve', WORK)).done
  const { id, ports } = await bench.row()
  const [web] = ports
  const environments = bench.program().environments
  expect(await environments.run({ folder: bench.folder, id, name: 'web' })).toMatchObject({ ok: true })
  await bench.until(({ runs }) => runs['web']?.kind === 'running' && runs['web'].isUp)
  expect(await (await fetch(web?.address ?? '')).text()).toBe(`served by ${web?.port}`)

  await (
    await bench.agent(
      'Ask',
      `${WORK}; curl -s --retry 5 --retry-connrefused --retry-delay 1 http://localhost:${web?.port}`,
    )
  ).done
  expect(bench.told()).toContain(`served by ${web?.port}`)

  await environments.stop({ folder: bench.folder, id, name: null })
  expect((await bench.rows()).find((row) => row.id === id)?.state.runs['web']).toMatchObject({
    kind: 'ended',
    error: null,
  })
  await expect(fetch(web?.address ?? '')).rejects.toThrow()
})

test('what stands in for missing files while a server runs is in no commit, no figure, and no status of git', async () => {
  await open(`run:\n  web:\n    command: '${SERVER.replaceAll("'", "''")}'\n    portVariable: PORT\n`)
  await bench.approve()
  const { done } = await bench.agent('Save', WORK, 'while [ ! -e go ]; do sleep 0.1; done; rm go')
  const { id, path, branch } = await bench.row()
  await bench.program().environments.run({ folder: bench.folder, id, name: 'web' })
  await bench.until(({ runs }) => runs['web']?.kind === 'running' && runs['web'].isUp)
  expect(readdirSync(path)).toContain('CLAUDE.md')
  const git = (...args: string[]) => execFileSync('git', ['-C', path, ...args], { encoding: 'utf8' })
  await writeFile(join(path, 'go'), '')
  await done
  expect(git('show', '--format=', '--name-only', branch)).toBe('work.txt\n')
  expect(git('status', '--porcelain')).toBe('')
  const { worktrees } = await bench.program().review.list(bench.folder, { thorough: true })
  expect(worktrees).toMatchObject([{ files: 1, uncommitted: 0 }])
})

test('a port that another program has taken is replaced before a server starts', async () => {
  await open(`run: '${SERVER.replaceAll("'", "''")}'`)
  await bench.approve()
  await (await bench.agent('Taken', WORK)).done
  const { id, ports } = await bench.row()
  const taken = ports[0]?.port ?? 0
  const other = createServer().listen(taken, '127.0.0.1')
  try {
    await bench.program().environments.run({ folder: bench.folder, id, name: null })
    const state = await bench.until(({ base }) => base !== taken)
    expect(state.base).toBeGreaterThan(taken)
    expect(await bench.logText('troupe')).toContain('Another program uses a port')
  } finally {
    other.close()
  }
})

test('states, ports and logs are the same after a restart', async () => {
  await open('setup: echo kept line')
  await bench.approve()
  await (await bench.agent('Restart', WORK)).done
  const before = await bench.row()
  await bench.restart()
  expect(await bench.row()).toEqual(before)
  expect(await bench.logText()).toContain('kept line')
})

test('the tear-down runs before a worktree is discarded, and its ports are free again', async () => {
  await open('setup: echo up\nteardown: cp work.txt $TMPDIR/x && echo torn down $TROUPE_PORT')
  await bench.approve()
  await (await bench.agent('Discard', WORK)).done
  const { id, branch, state } = await bench.row()
  const lines: string[] = []
  bench.program().environments.follow({ folder: bench.folder, id }, ({ text }) => lines.push(text))
  const discarded = await bench.program().review.discard({ folder: bench.folder, id }, branch)
  expect(discarded).toMatchObject({ ok: true })
  expect(lines).toContain(`torn down ${state.base}`)
  expect(existsSync(join(bench.base, 'data/environments/ports', String(state.base)))).toBe(false)
})

test('a set-up that never ends is stopped with everything that it started', async () => {
  await open('setup: sleep 1000 & sleep 1000')
  await bench.approve()
  const { done } = await bench.agent('Endless', WORK)
  await bench.until(({ setup }) => setup.kind === 'running' && setup.command !== null)
  const { id } = await bench.row()
  await bench.program().environments.stop({ folder: bench.folder, id, name: null })
  await done
  expect((await bench.row()).state.setup).toMatchObject({ kind: 'failed', error: 'It was stopped.' })
})

test('two agents that change the same lines are told while they work, and so is the user', async () => {
  await open('setup: "true"', {
    'money.txt': Array.from({ length: 60 }, (_, at) => `line ${at + 1}`).join('\n'),
  })
  await bench.approve()
  const change = (lines: string) => `sed -i '${lines}s/line/euro/' money.txt`
  const waits = 'for i in $(seq 50); do sleep 0.1; done'
  const one = await bench.agent('First', change('40,50'), waits, 'true')
  const other = await bench.agent('Second', change('45,58'), waits, 'true')
  const far = await bench.agent('Far', change('1,9'), 'true')
  await Promise.all([one, other, far].map(({ done }) => done))
  const told = bench.told()
  expect(told).toContain('changes the same lines as you, in its own worktree: money.txt:45-50')
  expect(told).toContain('Another agent (“First”')
  expect(told).toContain('Another agent (“Second”')
  expect(told).not.toContain('Another agent (“Far”')
  expect(told.split('changes the same lines as you').slice(1)).not.toContainEqual(
    expect.not.stringMatching(/^, in its own worktree: money\.txt:/),
  )
})

test('a command that is known to fail in the sandbox stays in it all the same', async () => {
  await open('setup: echo x > .envrc')
  await bench.approve()
  await (await bench.agent('Outside', WORK)).done
  const { path, state } = await bench.row()
  expect(existsSync(join(path, '.envrc'))).toBe(false)
  expect(state.setup.kind).toBe('failed')
})
