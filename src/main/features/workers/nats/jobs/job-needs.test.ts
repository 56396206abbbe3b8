/** Which workers can take a job, and the reason when none can. */
import { describe, expect, test } from 'vitest'
import { type JobNeeds, neededTools, needsOf, type WorkerOffer, whyNoneFits, whyUnfit } from './job-needs.ts'
import { sampleJob } from './testing/sample-job.ts'

const offer: WorkerOffer = {
  protocol: 3,
  oldestProtocol: 2,
  version: '0.4.0',
  platform: 'darwin',
  models: ['claude-a-20260101'],
  allowedModels: ['claude-*'],
  tools: ['Read', 'Bash'],
  repositories: ['github.com/acme/*'],
  withoutRepository: false,
}
const tools = { id: 'abc', url: 'https://github.com/acme/tools.git' }
const other = { id: 'def', url: 'https://github.com/else/other.git' }

describe('whyUnfit', () => {
  test.each<[string, Partial<JobNeeds>, string | null]>([
    [
      'everything there',
      { protocol: 3, tools: ['Read'], model: 'claude-a', platform: 'macos', repository: tools },
      null,
    ],
    ['the oldest protocol', { protocol: 2 }, null],
    [
      'a newer protocol',
      { protocol: 4 },
      'has version 0.4.0 with protocol 2 to 3, and the job has protocol 4',
    ],
    [
      'an older protocol',
      { protocol: 1 },
      'has version 0.4.0 with protocol 2 to 3, and the job has protocol 1',
    ],
    ['a missing tool', { tools: ['Read', 'Sing'] }, 'has no tool Sing'],
    ['a model that the policy forbids', { model: 'other-a' }, 'does not allow the model other-a'],
    ['a provider that the worker lacks', { model: 'lab/a' }, 'has no model provider lab'],
    ['a model that the key lacks', { model: 'claude-b' }, 'has a key without the model claude-b'],
    [
      'another model with the same beginning',
      { model: 'claude-a-2' },
      'has a key without the model claude-a-2',
    ],
    ['no model, for a script', { model: null }, null],
    ['another system', { platform: 'linux' }, 'runs macos, and the job needs linux'],
    [
      'another repository',
      { repository: other },
      'does not allow the repository https://github.com/else/other.git',
    ],
    ['no repository', { repository: null }, 'takes only jobs with a repository'],
    ['nothing to compare', {}, null],
  ])('%s', (_name, needs, why) => {
    const found = whyUnfit(offer, needs)
    if (why === null) expect(found).toBeNull()
    else expect(found).toContain(why)
  })

  test('a worker of an older version, which announces less, is not refused for what is unknown', () => {
    const {
      oldestProtocol: _,
      repositories: __,
      allowedModels: ___,
      withoutRepository: ____,
      ...older
    } = offer
    const bare = { ...older, models: [], tools: [] }
    expect(whyUnfit(bare, { protocol: 3, tools: ['Sing'], model: 'x', repository: other })).toBeNull()
    expect(whyUnfit(bare, { protocol: 2 })).toContain(
      'has version 0.4.0 with protocol 3, and the job has protocol 2',
    )
  })
})

describe('whyNoneFits', () => {
  const linux = { ...offer, host: 'box', platform: 'linux' }
  const mac = { ...offer, host: 'mini', tools: ['Read'] }

  test('null if there are no workers, or one fits', () => {
    expect(whyNoneFits([], { platform: 'windows' })).toBeNull()
    expect(whyNoneFits([linux, mac], { platform: 'linux' })).toBeNull()
  })

  test('each worker with its own reason', () => {
    expect(whyNoneFits([linux, mac], { platform: 'macos', tools: ['Bash'], repository: other })).toMatch(
      /^No connected worker can take this job: box runs linux, and the job needs macos; mini has no tool Bash\./,
    )
  })

  test('a repository that nobody allows is said in one sentence, with where to allow it', () => {
    expect(whyNoneFits([linux, mac], { repository: other })).toBe(
      'No connected worker takes this repository: https://github.com/else/other.git. Allow it on a worker with `repositories` in its worker-policy.json.',
    )
    expect(whyNoneFits([linux], { repository: { id: 'def', url: null } })).toContain('repository: def.')
  })
})

describe('needsOf', () => {
  const schema = (name: string) => ({ name, description: '', input_schema: { type: 'object' as const } })

  test('are the agent’s tools without those of MCP servers', () => {
    const tools = [schema('Read'), schema('mcp__wiki__find'), schema('Bash')]
    expect(neededTools({ tools })).toEqual(['Read', 'Bash'])
  })

  test('the current model counts; a script needs none', () => {
    const [spawned, ...later] = sampleJob('a-1').events
    if (spawned?.type !== 'agent-spawned') throw new Error('no spawn')
    const { v, agentId, seq, order, at } = spawned
    const changed = { v, agentId, seq, order, at, type: 'model-changed' as const, model: 'claude-next' }
    const job = sampleJob('a-1', { events: [{ ...spawned, platform: 'linux' }, ...later, changed] })
    expect(needsOf(job)).toMatchObject({ model: 'claude-next', platform: 'linux', protocol: job.protocol })
    expect(needsOf({ ...job, rehearsal: { scenarioFile: null } })).toMatchObject({ model: null })
  })
})

test('a worker with the provider takes any model of it, and one without it takes none', () => {
  const worker = { ...offer, allowedModels: ['*'] }
  expect(whyUnfit({ ...worker, providers: ['lab'] }, { model: 'lab/a' })).toBeNull()
  expect(whyUnfit({ ...worker, providers: ['other'] }, { model: 'lab/a' })).toContain(
    'has no model provider lab',
  )
  // Names with slashes can be models of the worker's own key.
  expect(whyUnfit({ ...worker, models: ['maker/a'] }, { model: 'maker/a' })).toBeNull()
})
