/** A job is lowered to what the worker's owner allows, or refused with the reason. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type AgentEvent, EVENT_VERSION } from '../../../../../shared/events/agent-event.ts'
import { sampleJob } from './testing/sample-job.ts'
import { applyPolicy, applyToChange, readWorkerPolicy, workerPolicy } from './worker-policy.ts'

const policy = (change: object = {}) => workerPolicy.parse(change)

function jobWith(
  change: Partial<Extract<AgentEvent, { type: 'agent-spawned' }>>,
  later: readonly AgentEvent[] = [],
) {
  const job = sampleJob('a-1')
  const events = job.events.map((event) => (event.type === 'agent-spawned' ? { ...event, ...change } : event))
  return { ...job, events: [...events, ...later] }
}

const later = { v: EVENT_VERSION, agentId: 'a-1', seq: 2, order: 2, at: 1 } as const

test('bypassPermissions is lowered by default, at the start and in later changes', () => {
  const job = jobWith({ permissionMode: 'bypassPermissions' }, [
    { ...later, type: 'permission-mode-changed', permissionMode: 'bypassPermissions', neverAsks: false },
  ])
  const applied = applyPolicy(job, policy())
  const modes =
    applied.ok &&
    applied.value.events.flatMap((event) => ('permissionMode' in event ? [event.permissionMode] : []))
  expect(modes).toEqual(['acceptEdits', 'acceptEdits'])
  const strict = applyPolicy(jobWith({ permissionMode: 'plan' }), policy({ maxPermissionMode: 'default' }))
  expect(strict.ok && strict.value.events[0]).toMatchObject({ permissionMode: 'plan' })
})

test('allow rules are narrowed to the worker’s, and its denied tools are added', () => {
  const job = {
    ...sampleJob('a-1'),
    rules: { allow: ['Bash(npm test)', 'Bash(curl *)'], deny: ['Read(.env)'] },
  }
  const applied = applyPolicy(
    job,
    policy({ allowRules: ['Bash(npm test)', 'Edit'], deniedTools: ['WebFetch'] }),
  )
  expect(applied.ok && applied.value.rules).toEqual({
    allow: ['Bash(npm test)'],
    deny: ['Read(.env)', 'WebFetch'],
  })
  const open = applyPolicy(job, policy())
  expect(open.ok && open.value.rules).toEqual(job.rules)
})

test('the lower limit of money counts, also when the sender raised its own later', () => {
  const limits = { tokens: null, usd: 9, ms: null, spawns: null }
  const job = jobWith({ limits }, [{ ...later, type: 'limits-changed', limits: { ...limits, usd: 50 } }])
  const applied = applyPolicy(job, policy({ usdPerJob: 2 }))
  const usd =
    applied.ok && applied.value.events.flatMap((event) => ('limits' in event ? [event.limits.usd] : []))
  expect(usd).toEqual([2, 2])
})

test('a model counts as it is now, not as it was at the start', () => {
  const allowed = policy({ models: ['claude-haiku*'] })
  const changed = jobWith({ model: 'claude-haiku-9' }, [
    { ...later, type: 'model-changed', model: 'claude-opus-9' },
  ])
  expect(applyPolicy(jobWith({ model: 'claude-haiku-9' }), allowed).ok).toBe(true)
  expect(applyPolicy(changed, allowed)).toMatchObject({
    failure: { message: 'This worker does not allow the model claude-opus-9 (worker-policy.json)' },
  })
})

test('a job without a repository can be refused', () => {
  expect(applyPolicy(sampleJob('a-1'), policy({ withoutRepository: false }))).toMatchObject({
    failure: { type: 'policy' },
  })
})

test('a policy that is misspelled or is not JSON takes no jobs, and names what is wrong', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-policy-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  expect(await readWorkerPolicy(folder)).toMatchObject({
    ok: true,
    value: { maxPermissionMode: 'acceptEdits' },
  })
  for (const [text, problem] of [
    ['{"usdPerDay": "five"}', 'at usdPerDay'],
    ['{"repositorys": []}', 'repositorys'],
    ['usdPerDay = 5', 'is not valid'],
  ] as const) {
    await writeFile(join(folder, 'worker-policy.json'), text)
    expect(await readWorkerPolicy(folder)).toMatchObject({
      ok: false,
      failure: { type: 'bad-policy', message: expect.stringContaining(problem) },
    })
  }
})

const definitionWith = (change: object) => {
  const [spawned] = sampleJob('a-1').events
  if (spawned?.type !== 'agent-spawned') throw new Error('No start')
  return { definition: { ...spawned.definition, ...change } }
}

test('ids of a job that lead to other folders are refused', () => {
  for (const id of ['..', '.', '../../home', '/home', 'a/b', 'a\\b', ''])
    for (const key of ['jobId', 'agentId', 'conversationId'] as const)
      expect(applyPolicy({ ...jobWith({}), [key]: id }, policy())).toMatchObject({
        ok: false,
        failure: { type: 'bad-job' },
      })
})

test('a denied tool that covers nothing makes the policy invalid', () => {
  expect(workerPolicy.safeParse({ deniedTools: ['Bash', 'Bash(git push:*)', 'mcp__x'] }).success).toBe(true)
  for (const rule of ['Raed(secrets/**)', 'Bash()', './secrets/**', 'Bash(curl * | sh)'])
    expect(workerPolicy.safeParse({ deniedTools: [rule] }).success).toBe(false)
})

test('a definition brings no hooks, unless the policy allows them, and no program', () => {
  const hooked = definitionWith({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'id' }] }] } })
  expect(applyPolicy(jobWith(hooked), policy())).toMatchObject({
    failure: {
      type: 'policy',
      message: 'This worker takes no agent whose definition has hooks (worker-policy.json)',
    },
  })
  expect(applyPolicy(jobWith(hooked), policy({ hooks: true })).ok).toBe(true)
  const renewed = { ...later, ...hooked, type: 'definition-renewed' } as unknown as AgentEvent
  expect(applyPolicy(jobWith({}, [renewed]), policy())).toMatchObject({ failure: { type: 'policy' } })
  const program = definitionWith({ program: { command: '/bin/sh', args: [], env: {} } })
  expect(applyPolicy(jobWith(program), policy({ hooks: true }))).toMatchObject({
    failure: { type: 'policy' },
  })
})

test('a definition opens no folder outside the checkout, and no agent works there', () => {
  const folders = ['/project/docs', '/etc', '/project/../root', '/projects', '/project']
  const applied = applyPolicy(
    jobWith(definitionWith({ readFolders: folders, writeFolders: folders })),
    policy(),
  )
  expect(applied.ok && applied.value.events[0]).toMatchObject({
    definition: {
      readFolders: ['/project/docs', '/project'],
      writeFolders: ['/project/docs', '/project'],
    },
  })
  const worktree = { path: '/project' } as never
  expect(applyPolicy(jobWith({ cwd: '/', worktree }), policy())).toMatchObject({
    failure: { type: 'bad-job' },
  })
})

test('servers that the policy does not name are taken from the agent', () => {
  const tool = (name: string) => ({ name, description: '', input_schema: {} }) as never
  const job = jobWith({
    ...definitionWith({ toolLists: { tools: null, disallowedTools: [], mcpServers: ['good', 'evil'] } }),
    tools: ['Read', 'mcp__good__look', 'mcp__evil__look', 'mcp__good__evil__look'].map(tool),
  })
  const applied = applyPolicy(job, policy({ mcpServers: ['good'] }))
  const [spawned] = applied.ok ? applied.value.events : []
  expect(spawned).toMatchObject({ definition: { toolLists: { mcpServers: ['good'] } } })
  expect(spawned?.type === 'agent-spawned' && spawned.tools.map(({ name }) => name)).toEqual([
    'Read',
    'mcp__good__look',
    'mcp__good__evil__look',
  ])
  const open = applyPolicy(jobWith({}), policy({ mcpServers: ['good'] }))
  expect(open.ok && open.value.events[0]).toMatchObject({
    definition: { toolLists: { mcpServers: ['good'] } },
  })
})

test('a change of the running agent is lowered as its job was', () => {
  const change = {
    type: 'changed',
    permissionMode: 'bypassPermissions',
    neverAsks: true,
    limits: { tokens: null, usd: 90, ms: null, spawns: null },
    model: 'claude-opus-9',
    effort: null,
    thinking: null,
  } as const
  const narrow = policy({ usdPerJob: 2, models: ['claude-haiku*'] })
  expect(applyToChange(change, narrow, 'claude-haiku-9')).toMatchObject({
    permissionMode: 'acceptEdits',
    limits: { usd: 2 },
    model: 'claude-haiku-9',
  })
})
