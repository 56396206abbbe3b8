/** The scenes: `?harness=<name>`. Each sets up a world and may start something that goes on by itself. */
import type { SpendLimits } from '../../src/shared/agent-event.ts'
import type { DefinitionInfo } from '../../src/shared/ipc-contract.ts'
import { allReviewStates, largeReview, manyReviews, reviewWorktrees } from './review.ts'
import { agentTexts, manyAgents } from './scenes/agents.ts'
import { checkoutLog } from './scenes/checkout.ts'
import { crowdLog } from './scenes/crowd.ts'
import { changedDefinitions, lifecycleLog } from './scenes/lifecycle.ts'
import { messagesLog, messagesQueue } from './scenes/messages.ts'
import { oldLogs } from './scenes/old.ts'
import { longLog, promptsLog, troublesLog, workersLog } from './scenes/others.ts'
import { streamOnce, streamWords } from './streams.ts'
import { type Conversation, folderAt, type World } from './world.ts'

const ID = 'conversation-1'

type Scene = (world: World, options: URLSearchParams) => void

export const scenes: Readonly<Record<string, Scene>> = {
  'first-run': (world) => {
    world.folder = null
    world.access = { kind: 'none', keySource: null, keyStoreSafe: true, baseUrl: '' }
  },
  'no-access': (world) => {
    world.access = { kind: 'none', keySource: null, keyStoreSafe: false, baseUrl: '' }
  },
  untrusted: (world) => {
    world.folder = folderAt('/home/ada/src/unknown-service', { trusted: false })
  },
  empty: () => {},
  stage: (world, options) => stage(world, checkoutLog(ID, Date.now()), options),
  crowd: (world, options) => stage(world, crowdLog(ID, Date.now()), options),
  rehearsal: (world, options) => {
    world.access = { kind: 'rehearsal', keySource: null, keyStoreSafe: true, baseUrl: '' }
    stage(world, checkoutLog(ID, Date.now()), options)
  },
  'read-only': (world, options) => {
    stage(world, checkoutLog(ID, Date.now()), options).readOnly = true
  },
  bypass: (world, options) => {
    world.folder = folderAt('/home/ada/src/checkout-service', { bypassAllowed: true })
    const conversation = stage(world, checkoutLog(ID, Date.now()), options)
    world.act(conversation, (log) =>
      log.write('main', { type: 'permission-mode-changed', permissionMode: 'bypassPermissions' }),
    )
  },
  /** `&reached`: at the conversation's limit; `&unpriced`: a model without a price takes part. */
  limits: (world, options) => {
    const log = checkoutLog(ID, Date.now())
    limitAgents(log)
    if (options.has('unpriced'))
      log.answers('refactor', { text: 'The key is made with the order.', cost: null, tokens: 9000 })
    if (options.has('reached'))
      log.write('main', {
        type: 'agent-ended',
        status: 'completed',
        report: 'As far as I came: the retry path is known, the failing test is written.',
        failure: null,
        reachedLimit: 'money',
        limitOf: 'conversation',
      })
    const conversation = stage(world, log, options)
    const usd = options.has('reached') ? 0.9 : 1.1
    conversation.record = {
      ...conversation.record,
      limits: { tokens: 2_000_000, usd, ms: 3_600_000, spawns: null },
    }
  },
  /** An agent in each state in which a person can do something with it; `?still` without the one that talks. */
  lifecycle: (world, options) => {
    const conversation = show(world, 'Ship the charge key', lifecycleLog(ID, Date.now()))
    conversation.changedDefinitions = new Map(changedDefinitions)
    if (!options.has('still'))
      streamWords(world, conversation, { agentIds: ['Explore', 'general-purpose'], rate: 25, endless: false })
  },
  prompts: (world) => {
    show(world, 'Ten questions', promptsLog(ID, Date.now()))
  },
  troubles: (world) => {
    show(world, 'What goes wrong', troublesLog(ID, Date.now()))
    const message =
      'The transcript can’t be saved: the disk is full (/home/ada/.config/troupe/tasks/worker-4/transcript.jsonl). Free some space, then try again.'
    world.atStart = [
      { type: 'log-trouble', troubles: [{ conversationId: ID, agentIds: ['main', 'worker-4'], message }] },
    ]
  },
  messages: (world) => {
    show(world, 'Charged twice', messagesLog(ID, Date.now())).queued = [...messagesQueue]
  },
  long: (world, options) => {
    show(world, 'A long one', longLog(ID, Date.now(), Number(options.get('events') ?? 100_000)))
  },
  agents: (world, options) => {
    stage(world, checkoutLog(ID, Date.now()), options)
    agents(world, agentTexts)
    const id = '/home/ada/src/checkout-service/.claude/agents/security-reviewer.md'
    localStorage.setItem(
      `definition-draft:${id}`,
      JSON.stringify({
        id,
        folder: '/home/ada/src/checkout-service',
        source: 'project',
        path: 'security-reviewer.md',
        base: world.definitionFolder.open(id).text,
        version: world.definitionFolder.open(id).version,
        text: world.definitionFolder.open(id).text.replace('color: red', 'color: pink'),
      }),
    )
  },
  'agents-many': (world) => agents(world, manyAgents(2000)),
  'agents-none': (world) => agents(world, []),
  'agents-untrusted': (world) => {
    world.folder = folderAt('/home/ada/src/checkout-service', { trusted: false })
    localStorage.setItem('trust-answered', JSON.stringify(['/home/ada/src/checkout-service']))
    agents(world, agentTexts)
  },
  /** The mockup's three worktrees, with a comment that is not sent. */
  review: (world, options) => {
    stage(world, checkoutLog(ID, Date.now()), options)
    review(world, reviewWorktrees(Date.now()))
    const comment = {
      key: '1',
      path: 'src/payments/charge.ts',
      line: 18,
      lastLine: null,
      side: 'after',
      quote: '  const key = order.chargeKey',
      text: 'should this throw when the order has no key yet?',
    }
    localStorage.setItem(
      'review-draft:/home/ada/src/checkout-service:refactorer-a91e42',
      JSON.stringify({ comments: [comment], editing: null, words: '' }),
    )
  },
  'review-states': (world, options) => {
    stage(world, checkoutLog(ID, Date.now()), options)
    review(world, allReviewStates(Date.now()))
    world.review.handlers['review.discard']({ folder: '', id: 'bench-9b0e77', confirm: null })
  },
  'review-large': (world) => review(world, largeReview(Date.now())),
  'review-many': (world) => review(world, manyReviews(Date.now(), 60)),
  'review-empty': (world) => review(world, []),
  'review-none': (world) => {
    review(world, [])
    world.review.problem =
      'This folder is not in a git repository. Worktrees need one: run “git init” in it and commit once.'
  },
  /** `?harness=stream&panels=16&rate=100`: agents that stream without end. */
  stream: (world, options) => {
    const panels = Number(options.get('panels') ?? 16)
    const conversation = show(world, 'Streaming', workersLog(ID, Date.now(), panels))
    streamWords(world, conversation, {
      agentIds: Array.from({ length: panels }, (_, index) => `worker-${index + 1}`),
      rate: Number(options.get('rate') ?? 100),
      endless: true,
    })
  },
}

/** One agent near its end, one at it. */
function limitAgents({ events }: ReturnType<typeof checkoutLog>): void {
  const own = new Map<string, Partial<SpendLimits>>([
    ['security', { usd: 0.4 }],
    ['explore', { tokens: 30_000, ms: 1_800_000 }],
  ])
  for (const event of events)
    if (event.type === 'agent-spawned') Object.assign(event.limits, own.get(event.agentId))
}

/** The window begins in Review. */
function review(world: World, worktrees: World['review']['all']): void {
  world.review.all = worktrees
  world.atStart = [{ type: 'menu', command: 'review' }]
}

/** The window begins where agents are edited. */
function agents(world: World, files: typeof agentTexts): void {
  world.definitionFolder.fill(files)
  world.atStart = [{ type: 'menu', command: 'agents' }]
}

/** The mockup's conversation: what its agents say streams on, unless `?still`. */
function stage(world: World, log: ReturnType<typeof checkoutLog>, options: URLSearchParams): Conversation {
  const conversation = show(world, 'Make retries idempotent', log)
  world.stream(conversation, {
    type: 'live-output',
    agentId: 'tests',
    toolUseId: runningTool(conversation, 'tests'),
    append:
      ' RUN  double-charge.test.ts\n\u001b[31m ✗ charges once when the first attempt times out\u001b[0m\n   expected 1 charge, got 2\n\u001b[32m ✓ keeps the key across a restart\u001b[0m\n',
  })
  if (options.has('still')) {
    streamOnce(world, conversation, 'explore', 'Two call sites make their own key: ')
    streamOnce(world, conversation, 'tests', 'The test fails for the right reason. ')
    streamOnce(
      world,
      conversation,
      'security',
      'Checking whether the gateway error is logged with the card token ',
    )
  } else {
    streamWords(world, conversation, { agentIds: ['explore', 'tests', 'security'], rate: 25, endless: false })
  }
  return conversation
}

function runningTool(conversation: Conversation, agentId: string): string {
  const started = conversation.log.events.findLast(
    (event) => event.agentId === agentId && event.type === 'tool-started',
  )
  return started?.type === 'tool-started' ? started.toolUseId : ''
}

function show(world: World, title: string, log: ReturnType<typeof checkoutLog>): Conversation {
  for (const old of oldLogs(Date.now()))
    world.add(old.log, { title: old.title, mainAgentId: old.log.events[0]?.agentId ?? '' })
  const conversation = world.add(log, { title, updatedAt: Date.now() })
  localStorage.setItem(`last-conversation:${conversation.record.folder}`, conversation.record.id)
  return conversation
}

export const definitions: readonly DefinitionInfo[] = [
  ['Explore', 'blue', 'Finds and reads code; changes nothing.', 'built-in', 'haiku'],
  ['Plan', 'cyan', 'Works out the order of a change.', 'built-in', 'inherit'],
  ['general-purpose', 'neutral', 'Any task of several steps.', 'built-in', 'inherit'],
  ['test-writer', 'green', 'Writes the failing test first.', 'project', 'sonnet'],
  ['refactorer', 'orange', 'Changes code without changing what it does.', 'project', 'sonnet'],
  [
    'security-reviewer',
    'pink',
    'Reviews changes for leaks of secrets, injection and broken access rules.',
    'project',
    'opus',
  ],
].map(([name = '', color = '', description = '', source = '', model = '']) => ({
  name,
  color,
  description,
  source,
  model,
  tools: null,
  hidden: false,
}))

export const files: readonly string[] = [
  'package.json',
  'README.md',
  'src/index.ts',
  'src/cart.ts',
  'src/http/log.ts',
  'src/orders/order.ts',
  'src/orders/refund.ts',
  'src/payments/charge.ts',
  'src/payments/gateway.ts',
  'src/payments/token.ts',
  'src/queue/with-retry.ts',
  'test/helpers/fake-gateway.ts',
  'test/payments/double-charge.test.ts',
]
