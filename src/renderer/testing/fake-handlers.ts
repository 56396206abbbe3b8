/** Functions that answer the commands of a window in tests. */

import { firstCaseText } from '../../shared/agent-tests/case-file.ts'
import { insightOf } from '../../shared/insight/insight.ts'
import type { CommandInput, CommandName, CommandOutput } from '../../shared/ipc/ipc-contract.ts'
import { noProblems } from '../../shared/preview/preview.ts'
import { emptyTimeline } from '../../shared/timeline/timeline.ts'

export type FakeHandlers = {
  readonly [N in CommandName]?: (input: CommandInput<N>) => Promise<CommandOutput<N>> | CommandOutput<N>
}

/** What a handler throws to answer with a failure: a message for the user, and a type for programs. */
export class Refusal extends Error {
  readonly type: string

  constructor(message: string, type = 'refused') {
    super(message)
    this.type = type
  }
}

const done = (): void => {}

/** @returns the handler of a command about something that this program does not have */
const none = (message: string, type: string) => (): never => {
  throw new Refusal(message, type)
}
const noChanges = none('No changes of agents are recorded here.', 'not-found')
const noServer = none('There is no such MCP server.', 'no-mcp')

const noPullRequest = none('This worktree has no pull request.', 'not-there')

const noUpdate = { found: { kind: 'newest' }, checkedAt: 0, work: null, isLater: false } as const

const noKeys = () => ({ file: '/data/troupe/keybindings.json', bindings: {}, problems: [] })

const noSetup = ({ folder }: { readonly folder: string }) => ({ folder, trusted: true, items: [] })

/** The answers of a program that has nothing to list, and does what it is told without an effect. */
export const emptyProgram = {
  'agent.answer': done,
  'agent.continue': done,
  'agent.login': done,
  'agent.pause': done,
  'agent.retry': done,
  'agent.setLimits': done,
  'agent.setProgramOption': done,
  'agent.stop': done,
  'agent.stopCommand': done,
  'agent.toBackground': done,
  'agent.watch': done,
  'agentTests.deleteCase': done,
  'agentTests.draftCase': none('Conversation not found.', 'not-found'),
  'agentTests.estimate': () => ({ attempts: 0, reused: 0, usd: null, ms: null }),
  'agentTests.export': () => null,
  'agentTests.readCase': () => ({ text: firstCaseText }),
  'agentTests.resolve': () => [],
  'agentTests.resume': done,
  'agentTests.run': none('There is no case to run.', 'no-cases'),
  'agentTests.saveCase': ({ agent, file }) => ({
    ...{ file: file ?? `.claude/agent-tests/${agent}/new.yaml`, problems: [] },
  }),
  'agentTests.state': ({ folder }) => ({
    ...{ folder, agents: [], cases: [], problems: [], runs: [], attempts: [], refusal: null },
  }),
  'agentTests.stop': done,
  'agentTests.versions': () => [],
  'agentWindow.close': done,
  'agentWindow.open': done,
  'changes.clean': () => ({ bytes: 0 }),
  'changes.file': noChanges,
  'changes.history': () => null,
  'changes.list': ({ conversationId }) => ({
    ...{ conversationId, agents: [], messages: [], calls: [], user: [], undos: [], redo: null },
    kept: { days: 30, bytes: 0 },
  }),
  'changes.preview': noChanges,
  'changes.previewRedo': noChanges,
  'changes.redo': noChanges,
  'changes.space': () => ({ bytes: 0 }),
  'changes.undo': noChanges,
  'comparison.uncommitted': () => [],
  'conversation.compact': done,
  'conversation.continue': done,
  'conversation.list': () => [],
  'conversation.mark': done,
  'conversation.past': none('Nothing is replayed here.', 'not-found'),
  'conversation.rename': done,
  'conversation.requests': () => [],
  'conversation.retryLog': done,
  'conversation.runCommand': () => ({ commandId: 'u-1' }),
  'conversation.send': () => ({ messageId: 'm-sent', queued: false }),
  'conversation.setMode': done,
  'conversation.setModel': done,
  'conversation.sendNow': done,
  'conversation.shareCommand': done,
  'conversation.sizes': () => ({}),
  'conversation.stop': done,
  'conversation.stopCommand': done,
  'conversation.timeline': () => ({ timeline: emptyTimeline(), problem: null }),
  'conversation.trash': done,
  'conversation.unsubscribe': done,
  'definition.stopDraft': done,
  'draft.list': () => [],
  'draft.save': done,
  'environment.decide': done,
  'environment.log': () => ({ lines: [], isCut: false }),
  'preview.open': ({ id, path }) => ({
    ...{ id, origin: 'http://localhost:20010', path, isLoading: false, canGoBack: false },
    ...{ canGoForward: false, failure: null, problems: noProblems },
  }),
  'preview.place': () => {},
  'preview.go': () => {},
  'preview.act': () => {},
  'preview.close': () => {},
  'environment.open': done,
  'environment.run': done,
  'environment.setUp': done,
  'environment.skip': done,
  'environment.state': ({ folder }) => ({
    ...{ folder, commands: null, worktrees: [], overlaps: [] },
    problem: null,
  }),
  'environment.stop': done,
  'folder.contents': () => ({
    ...{ agents: 0, skills: 0, commands: 0, hooks: 0, mcpServers: 0 },
    instructions: [],
  }),
  'folder.definitions': () => ({ definitions: [], problems: [] }),
  'folder.files': () => [],
  'history.continue': none('Conversation not found.', 'not-found'),
  'history.cancel': done,
  'history.list': () => [],
  'history.progress': () => null,
  'hooks.decide': done,
  'hooks.state': () => ({ entries: [], problems: [], runs: [] }),
  'hooks.test': () => [],
  'insight.read': ({ query }) => ({
    report: insightOf([], query),
    reading: null,
    trashed: 0,
    damaged: 0,
    newer: 0,
  }),
  'mailboxes.list': () => [],
  'mcp.add': noServer,
  'mcp.approve': noServer,
  'mcp.reconnect': noServer,
  'mcp.refuse': noServer,
  'mcp.remove': noServer,
  'mcp.resources': () => [],
  'mcp.state': ({ folder }) => ({ folder, servers: [], problems: [] }),
  'mcp.test': noServer,
  'review.conversations': () => [],
  'plugins.add': () => [],
  'plugins.disable': () => [],
  'plugins.enable': () => [],
  'plugins.list': () => [],
  'plugins.remove': () => [],
  'plugins.update': () => [],
  'programs.cancel': done,
  'programs.keys': () => ({ names: [], isSafe: true }),
  'programs.list': () => [],
  'pullRequest.list': () => [],
  'pullRequest.state': () => ({
    ...{ forge: null, pull: null, branch: null, pushedAt: null, toPush: 0, sent: [], sentByItself: 0 },
    ...{ nothingMissing: false, readAt: null, nextIn: null, problem: 'The repository has no remote.' },
  }),
  'pullRequest.preview': none('The repository has no remote to push to.', 'no-remote'),
  'pullRequest.open': noPullRequest,
  'pullRequest.log': noPullRequest,
  'pullRequest.sendCheck': noPullRequest,
  'pullRequest.rerun': noPullRequest,
  'pullRequest.sendComment': noPullRequest,
  'pullRequest.reply': noPullRequest,
  'pullRequest.remove': noPullRequest,
  'rules.list': () => ({
    held: { deny: [], ask: [], allow: [], additionalDirectories: [] },
    ...{ entries: [], files: [], problems: [] },
  }),
  'sandbox.state': () => ({ kind: 'on' }),
  'hooks.add': done,
  'keys.reset': noKeys,
  'keys.claude': () => ({ file: '/home/ana/.claude/keybindings.json', bindings: null, problem: null }),
  'keys.set': noKeys,
  'keys.state': noKeys,
  'search.end': done,
  'search.next': none('The search was ended.', 'aborted'),
  'search.place': none('The place is gone.', 'not-found'),
  'search.prepare': done,
  'search.start': () => ({
    ...{ conversations: [], agents: [], hits: [], damaged: 0, end: 'all' as const },
    counts: { total: 0, byAgent: {}, byKind: {}, byFolder: {}, byProgram: {}, byDay: {} },
    searched: { conversations: 0, of: 0, bytes: 0 },
  }),
  'settings.open': done,
  'settings.origins': () => ({}),
  'setup.import': noSetup,
  'setup.preview': () => ({ servers: [], rules: [], notes: [], digest: '' }),
  'setup.report': noSetup,
  'setup.undoImport': noSetup,
  'slash.expand': ({ line }) => {
    throw new Refusal(`Unknown command ${line}.`, 'unknown')
  },
  'slash.list': () => [],
  'statusLine.test': () => ({ output: 'main ±3', problem: null, exitCode: 0, ms: 12 }),
  'sharing.cancel': done,
  'sharing.preview': ({ format }) => ({
    ...{ title: '', format, agents: [], events: 0, files: [], fileCount: 0, bytes: 0 },
    ...{ secrets: 0, places: [], notes: [] },
  }),
  'sharing.progress': () => null,
  'system.importConversation': () => null,
  'system.notify': done,
  'system.openFile': done,
  'system.openLink': done,
  'system.openSetup': done,
  'system.openTerminal': done,
  'system.reveal': done,
  'system.saveText': ({ name }) => `/work/${name}`,
  'system.saveShared': () => ({ path: '/work/shared.html', bytes: 32_000 }),
  'system.sendShared': () => ({ spans: 40, receiver: 'localhost:4318' }),
  'texts.approve': () => [],
  'texts.waiting': () => [],
  'trash.delete': done,
  'trash.list': () => [],
  'tutorial.endProgram': done,
  'tutorial.leave': () => null,
  'tutorial.skip': () => null,
  'tutorial.start': none('This program has no sample project.', 'no-sample'),
  'tutorial.state': () => null,
  'update.check': () => noUpdate,
  'update.install': () => 'canceled' as const,
  'update.later': () => ({ ...noUpdate, isLater: true }),
  'update.source': () => null,
  'verification.answer': done,
  'verification.start': done,
} satisfies FakeHandlers
