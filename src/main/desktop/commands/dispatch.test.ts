import { describe, expect, test, vi } from 'vitest'
import { commands } from '../../../shared/ipc/ipc-contract.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { DeltaStream } from '../deltas/delta-stream.ts'
import { fakeLog, fakeSettings } from '../testing/fake-program.ts'
import { createDispatch, forwardTo, type WindowHandlers } from './dispatch.ts'

const stream = () => new DeltaStream({ now: () => 0 })

const nowhere = async (name: string) => fail({ type: 'not-expected', message: name })

function dispatchTo(handlers: Partial<WindowHandlers>) {
  const log = fakeLog()
  const dispatch = createDispatch({ handlers: handlers as WindowHandlers, forward: nowhere, log })
  return { log, dispatch: (name: unknown, input: unknown) => dispatch(name, input, stream()) }
}

test('a command reaches its handler, and its answer comes back', async () => {
  const handler = vi.fn(async () => ok(['a.ts']))
  const { dispatch } = dispatchTo({ 'folder.files': handler })
  expect(await dispatch('folder.files', { path: '/repo', query: 'a' })).toEqual({
    answer: { ok: true, value: ['a.ts'] },
  })
  expect(handler).toHaveBeenCalledWith({ path: '/repo', query: 'a' }, expect.anything())
})

test('a failure comes back with its message, without its cause', async () => {
  const failure = { type: 'not-found', message: 'Gone.', cause: new Error('secret') }
  const { dispatch } = dispatchTo({ 'folder.open': async () => ({ ok: false, failure }) })
  expect(await dispatch('folder.open', { path: '/x' })).toEqual({
    answer: { ok: false, failure: { type: 'not-found', message: 'Gone.' } },
  })
})

test('a bug is logged, and answered with a message', async () => {
  const { dispatch, log } = dispatchTo({
    'folder.open': () => {
      throw new Error('undefined is not a function')
    },
  })
  const { answer } = await dispatch('folder.open', { path: '/x' })
  expect(answer).toMatchObject({ ok: false, failure: { type: 'bug' } })
  expect(JSON.stringify(answer)).not.toContain('undefined is not')
  expect(log.lines.join()).toContain('A bug in folder.open undefined is not a function')
})

test('an answer of many small objects travels as JSON', async () => {
  const value = { timeline: { lanes: {} }, problem: null }
  const dispatch = createDispatch({
    handlers: {} as WindowHandlers,
    forward: async () => ok(value),
    log: fakeLog(),
  })
  expect(await dispatch('conversation.timeline', { conversationId: 'c1' }, stream())).toEqual({
    answer: JSON.stringify({ ok: true, value }),
  })
})

test('a handler that holds the stream marks the reply', async () => {
  const one = stream()
  const dispatch = createDispatch({
    handlers: {
      'draft.list': async (_input: object, call: { hold(): void }) => {
        call.hold()
        call.hold()
        return ok([])
      },
    } as unknown as WindowHandlers,
    forward: nowhere,
    log: fakeLog(),
  })
  expect(await dispatch('draft.list', {}, one)).toEqual({ answer: { ok: true, value: [] }, hold: 1 })
})

describe('what the window does not answer itself', () => {
  /** `/link` leads to `/repo`, which is trusted; `/stranger` is open and not trusted; no other folder is open. */
  function forwarding(type: string | null = null) {
    const inputs: unknown[] = []
    const answer = vi.fn(async (input: unknown) => {
      inputs.push(input)
      return type === null ? ok('done') : fail({ type, message: '' })
    })
    const worktreesChanged = vi.fn()
    const forward = forwardTo({
      handlers: async () => Object.fromEntries(Object.keys(commands).map((name) => [name, answer])) as never,
      folders: {
        known: async (path) =>
          path === '/link'
            ? ok('/repo')
            : path === '/stranger'
              ? ok(path)
              : fail({ type: 'not-open', message: 'Open it first.' }),
      },
      settings: fakeSettings({ trustedFolders: ['/repo'] }),
      worktreesChanged,
    })
    return { inputs, forward, worktreesChanged }
  }

  test('goes to a feature, after the check of its input', async () => {
    const { forward, inputs } = forwarding()
    const dispatch = createDispatch({ handlers: {} as WindowHandlers, forward, log: fakeLog() })
    const input = { conversationId: 'c', title: ' New ' }
    expect(await dispatch('conversation.rename', input, stream())).toEqual({
      answer: { ok: true, value: 'done' },
    })
    expect(inputs).toEqual([{ conversationId: 'c', title: 'New' }])
  })

  test('reaches files of open folders only, at their real paths', async () => {
    const { forward, inputs } = forwarding()
    for (const name of ['definition.open', 'definition.catalog', 'comparison.suggestCheck'] as const)
      expect(await forward(name, { folder: '/link', id: 'a' })).toEqual(ok('done'))
    expect(inputs).toEqual(Array(3).fill({ folder: '/repo', id: 'a' }))
    for (const name of ['definition.save', 'review.merge', 'comparison.suggestCheck'] as const)
      expect(await forward(name, { folder: '/etc' })).toMatchObject({ failure: { type: 'not-open' } })
    expect(inputs).toHaveLength(3)
    await forward('mcp.approve', { folder: '/etc', name: 'one' })
    await forward('definition.restore', { trashId: 't' })
    expect(inputs.slice(3)).toEqual([{ folder: '/etc', name: 'one' }, { trashId: 't' }])
  })

  test('calls no git in a folder that is not trusted', async () => {
    const { forward, inputs } = forwarding()
    for (const name of Object.keys(commands).filter((each) => each.startsWith('review.')))
      expect(await forward(name as 'review.merge', { folder: '/stranger', id: 'x' })).toMatchObject({
        failure: { type: 'not-trusted' },
      })
    expect(inputs).toEqual([])
    expect(await forward('definition.open', { folder: '/stranger' })).toEqual(ok('done'))
  })

  test('tells in which folder a worktree was merged, where it was', async () => {
    const merge = async (type: string | null) => {
      const { forward, worktreesChanged } = forwarding(type)
      for (const name of ['review.merge', 'review.mergeResolved', 'review.discard'] as const)
        await forward(name, { folder: '/link', id: 'x' })
      return worktreesChanged.mock.calls
    }
    expect(await merge(null)).toEqual([['/link'], ['/link'], [null]])
    expect(await merge('conflicts')).toEqual([[null], [null], [null]])
  })

  test.each([null, 'conflicts'])(
    'lists the worktrees again after a change, whether it fails or not (%s)',
    async (type) => {
      const { forward, worktreesChanged } = forwarding(type)
      const named = Object.keys(commands).filter((name) => name.startsWith('review.'))
      const changing: string[] = []
      for (const name of named) {
        worktreesChanged.mockClear()
        await forward(name as 'review.merge', { folder: '/link', id: 'x' })
        if (worktreesChanged.mock.calls.length > 0) changing.push(name)
      }
      const reading = [
        'review.conversations',
        'review.changes',
        'review.picture',
        'review.file',
        'review.conflicts',
        'review.comment',
      ]
      expect(named.filter((name) => !changing.includes(name))).toEqual(reading)
    },
  )
})

describe('input outside the contract does not reach a handler', () => {
  test.each(['', 'nope', 'toString', '__proto__', 'constructor', 7, null, undefined, { name: 'start' }])(
    'the name %j',
    async (name) => {
      const { answer } = await dispatchTo({}).dispatch(name, {})
      expect(answer).toMatchObject({ ok: false, failure: { type: 'unknown-command' } })
    },
  )

  const wrong: Record<string, readonly unknown[]> = {
    start: [undefined, null, 'x', { extra: 1 }],
    'folder.pick': [{ path: '/x' }],
    'folder.open': [{}, { path: '' }, { path: 7 }, { path: 'x'.repeat(5000) }],
    'folder.trust': [{ path: '/x' }, { path: '/x', trusted: 'yes' }],
    'folder.bypass': [{ path: '/x', allowed: 1 }],
    'folder.contents': [{}],
    'folder.definitions': [{}],
    'folder.files': [{ path: '/x', query: 'q'.repeat(300) }],
    'conversation.create': [{}, { folder: '/x', permissionMode: 'god' }, { folder: '/x', effort: 'huge' }],
    'conversation.rename': [{ conversationId: 'c', title: '   ' }],
    'conversation.branch': [
      { conversationId: 'c', seq: -1, content: null },
      { conversationId: 'c', seq: 1, content: 7 },
    ],
    'conversation.past': [
      {},
      { conversationId: 'c', order: -1, after: null },
      { conversationId: 'c', order: 1 },
    ],
    'conversation.timeline': [{}, { conversationId: '' }],
    'conversation.trash': [{ conversationId: '' }],
    'conversation.restore': [{ conversationId: 'x'.repeat(101) }],
    'conversation.subscribe': [{}],
    'conversation.unsubscribe': [[]],
    'conversation.send': [
      { conversationId: 'c', content: 'x' },
      { conversationId: 'c', agentId: null, content: [{ type: 'image', source: { type: 'url' } }] },
    ],
    'conversation.unqueue': [{ conversationId: 'c' }],
    'conversation.sendNow': [{ conversationId: 'c' }],
    'conversation.runCommand': [{ conversationId: 'c', command: ' ' }],
    'conversation.stopCommand': [{ conversationId: 'c' }],
    'conversation.shareCommand': [{ conversationId: 'c', commandId: 'u' }],
    'comparison.uncommitted': [{}],
    'conversation.mark': [{ conversationId: 'c', pinned: 'yes' }],
    'conversation.stop': [{}],
    'conversation.continue': [{}],
    'conversation.retryLog': [{ conversationId: '' }],
    'conversation.setLimits': [{ conversationId: 'c', limits: { tokens: -1 } }],
    'draft.list': [7],
    'settings.origins': [7],
    'keys.state': [7],
    'hooks.add': [
      { folder: '/x', source: 'managed', event: 'Stop', matcher: '', command: 'x', timeout: null },
      { folder: '/x', source: 'own', event: 'Nope', matcher: '', command: 'x', timeout: null },
      { folder: '/x', source: 'own', event: 'Stop', matcher: '', command: '', timeout: 0 },
    ],
    'keys.claude': [7],
    'keys.set': [{ keys: { '': null } }, { keys: { palette: '' } }, { keys: {} }, { keys: { palette: 7 } }],
    'keys.reset': [{ ids: [] }, {}],
    'settings.reset': [{ names: [] }, { names: ['__proto__'] }, { names: ['a b'] }],
    'settings.open': [
      { folder: null, file: '' },
      { folder: null, file: '/x', line: 0 },
    ],
    'search.start': [
      { searchId: 's' },
      { searchId: '', query: { text: 'a' } },
      { searchId: 's', query: { text: 'a', kinds: ['all'] } },
    ],
    'search.next': [{}, { searchId: '' }],
    'search.end': [{ searchId: 7 }],
    'search.place': [{}, { query: { text: 'a' }, place: { conversationId: 'c', agentId: 'a', line: '' } }],
    'rules.list': [{}, { folder: '' }],
    'rules.edit': [
      { folder: '/x' },
      { folder: '/x', from: { source: 'project', list: 'deny', text: 'Bash' }, to: null },
      { folder: '/x', from: null, to: { source: 'saved', list: 'allow', text: 'Bash' } },
      { folder: '/x', from: null, to: { source: 'own', list: 'defaultMode', text: 'Bash' } },
    ],
    'rules.approve': [{ folder: '/x' }, { folder: '/x', list: 'deny', text: 'Bash' }],
    'texts.waiting': [{}],
    'texts.approve': [{ folder: '/x', path: '/x/CLAUDE.md' }],
    'rules.test': [{ folder: '/x', call: 'Bash(ls)', agent: 'main', mode: 'root' }],
    'setup.report': [{}, { folder: '' }],
    'setup.preview': [{ folder: '/work' }, { folder: '/work', file: '' }],
    'setup.import': [
      { folder: '/work', file: null },
      { folder: '/work', file: '', digest: 'd' },
    ],
    'setup.undoImport': [{ folder: '/work', file: null }],
    'plugins.list': [7],
    'plugins.add': [{}, { source: '' }],
    'plugins.enable': [{ name: 'a' }, { name: '', digest: 'd' }],
    'plugins.disable': [{ name: '' }],
    'plugins.remove': [{}],
    'plugins.update': [{ name: 7 }],
    'pullRequest.list': [{}],
    'pullRequest.state': [{ folder: '/x' }, { folder: '/x', id: 'w', now: 1 }],
    'pullRequest.preview': [
      { folder: '/x', id: 'w' },
      ...['--force', 'a..b', 'a b', 'a\u0000', 'refs@{0}', '/a', 'a/', '.a', 'a.lock', 'a:b', 'a\nb'].map(
        (branch) => ({ folder: '/x', id: 'w', remote: null, branch, base: null }),
      ),
      { folder: '/x', id: 'w', remote: '--upload-pack=x', branch: null, base: null },
      { folder: '/x', id: 'w', remote: 'ext::sh', branch: null, base: null },
    ],
    'pullRequest.open': [
      {
        folder: '/x',
        id: 'w',
        remote: 'origin',
        branch: 'a',
        base: 'b',
        head: 'HEAD',
        replaces: null,
        text: null,
      },
    ],
    'pullRequest.log': [{ folder: '/x', id: 'w' }],
    'pullRequest.sendCheck': [{ folder: '/x', id: 'w', check: '' }],
    'pullRequest.rerun': [{ folder: '/x', id: 'w', check: 7 }],
    'pullRequest.sendComment': [{ folder: '/x', id: 'w' }],
    'pullRequest.reply': [{ folder: '/x', id: 'w', comment: 'c', text: ' ' }],
    'pullRequest.remove': [{ folder: '/x' }],
    'sharing.preview': [{ conversationId: 'c', format: 'html' }],
    'sharing.progress': [{}],
    'sharing.cancel': [{ conversationId: 7 }],
    'trash.list': [7],
    'system.saveText': [{ name: '', text: 'x' }],
    'comparison.start': [
      { conversationId: 'c-1', task: 'x', attempts: [{ agent: 'a', model: null }], command: null },
      {
        conversationId: 'c-1',
        task: ' ',
        attempts: Array(2).fill({ agent: 'a', model: null }),
        command: null,
      },
      {
        conversationId: 'c-1',
        task: 'x',
        attempts: Array(9).fill({ agent: 'a', model: null }),
        command: null,
      },
      { conversationId: 'c-1', task: 'x', attempts: Array(2).fill({ agent: 'a', model: null }), command: '' },
    ],
    'comparison.stop': [{ conversationId: 'c-1' }],
    'comparison.check': [{ conversationId: 'c-1' }],
    'comparison.suggestCheck': [{}, { folder: '' }],
    'verification.answer': [
      { conversationId: 'c-1', id: 'v-1' },
      { conversationId: 'c-1', id: 7, verify: true },
    ],
    'verification.start': [{ conversationId: 'c-1' }, { conversationId: 'c-1', owner: 7 }],
    'verification.states': [{}],
    'changes.list': [{}],
    'changes.file': [
      { conversationId: 'c-1', path: '' },
      { conversationId: 'c-1', path: '/x', agentId: 7 },
    ],
    'changes.history': [{ conversationId: 'c-1' }],
    'changes.preview': [
      { conversationId: 'c-1' },
      { conversationId: 'c-1', scope: { kind: 'some' } },
      { conversationId: 'c-1', scope: { kind: 'all' }, choices: { '/x': 'both' } },
    ],
    'changes.undo': [{ conversationId: 'c-1', scope: { kind: 'all' } }],
    'changes.previewRedo': [{}],
    'changes.redo': [{ conversationId: 'c-1' }],
    'trash.delete': [{}, { conversationIds: 'c' }, { conversationIds: [''] }],
    'draft.save': [
      { place: 'c', text: 'x', recipientId: null, attachments: ['../settings'], added: [] },
      { place: 'c', text: 'x', recipientId: null, attachments: [] },
    ],
    'agent.pause': [{ conversationId: 'c' }],
    'agent.setLimits': [{ agentId: 'a', conversationId: 'c', limits: { tokens: -1 } }],
    'agent.continue': [{ agentId: 'a' }],
    'agent.toBackground': [{}],
    'agent.definitionChange': [{ agentId: '', conversationId: 'c' }],
    'agent.context': [{ agentId: 'a' }],
    'agent.renew': [{ agentId: 'a' }],
    'conversation.setMode': [{ conversationId: 'c', permissionMode: 'god' }],
    'conversation.setModel': [
      { conversationId: 'c', model: '' },
      { conversationId: 'c', effort: 'huge' },
      { conversationId: 'c', thinking: 'maybe' },
    ],
    'definition.tryOut': [
      { folder: '/x', id: '', text: '', worktree: false },
      { folder: '/x', id: null, text: '' },
      { folder: '/x', id: null, text: 'x'.repeat(2_000_000), worktree: false },
    ],
    'definition.catalog': [{ folder: '' }],
    'definition.open': [{ folder: '/x' }],
    'definition.pending': [{ folder: '/x' }],
    'definition.approve': [{ folder: '/x', id: '/x/a.md' }],
    'definition.save': [
      { folder: '/x', id: '/x/a.md', text: 7, version: null },
      { folder: '/x', id: '/x/a.md', text: '', version: null, converts: false },
    ],
    'definition.unconvert': [{ folder: '/x', id: '/x/a.md' }],
    'definition.create': [{ folder: '/x', source: 'managed', path: 'a.md', text: '' }],
    'definition.move': [{ folder: '/x', id: '/x/a.md', path: '' }],
    'definition.trash': [{ folder: '/x' }, { folder: '/x', id: '/x/a.md', unsaved: 1 }],
    'definition.restore': [{ trashId: '' }],
    'definition.listTrash': [],
    'definition.readTrashed': [{ trashId: '' }],
    'definition.deleteTrashed': [{ trashIds: 't' }, { trashIds: [''] }],
    'definition.draft': [{ folder: '/x', description: ' ' }, { description: 'x' }],
    'definition.stopDraft': [{ folder: '/x' }],
    'agent.stop': [{ agentId: 'a' }],
    'team.send': [
      { conversationId: 'c', agentIds: [], content: 'x' },
      { conversationId: 'c', agentIds: 'a', content: 'x' },
    ],
    'team.addMember': [
      { conversationId: 'c', teamId: 't', name: '../x', agent: 'a', prompt: 'x' },
      { conversationId: 'c', teamId: 't', name: 'x', agent: 'a', prompt: ' ' },
      { conversationId: 'c', teamId: 't', name: 'x', agent: 'a', prompt: 'x', backing: 'moon' },
    ],
    'team.end': [{ conversationId: 'c', teamId: 't' }],
    'team.resume': [{ conversationId: 'c' }],
    'task.create': [{ conversationId: 'c', subject: ' ', description: '', dependsOn: [] }],
    'task.update': [
      { conversationId: 'c', taskId: '1', status: 'done' },
      { conversationId: 'c', taskId: '' },
    ],
    'agent.retry': [{ agentId: 'a' }],
    'agent.stopCommand': [
      { agentId: 'a', conversationId: 'c' },
      { agentId: 'a', conversationId: 'c', commandId: 7 },
    ],
    'agent.setProgramOption': [
      { agentId: 'a', conversationId: 'c', optionId: 'model' },
      { agentId: 'a', conversationId: 'c', optionId: 'model', value: '' },
    ],
    'agent.login': [{ agentId: 'a', conversationId: 'c' }],
    'agentWindow.open': [{ agentId: 'a' }],
    'agentWindow.close': [{ conversationId: 'c' }],
    'programs.list': [{ again: 'yes' }],
    'programs.offer': [{ id: '../../x' }],
    'programs.install': [{ id: 'gemini' }, { id: 'other', version: '1.0.0' }],
    'programs.cancel': [{}],
    'programs.remove': [{ id: '' }],
    'programs.check': [{ id: 7 }],
    'programs.keys': [{ name: 'A' }],
    'programs.saveKey': [
      { name: '../A', value: 'x' },
      { name: 'A', value: '' },
    ],
    'programs.use': [{ id: 'gemini' }, { id: 'rm', used: true }],
    'mcp.state': [{ folder: '' }],
    'mcp.approve': [{ folder: '/x' }, { folder: '/x', name: '' }],
    'mcp.refuse': [{ folder: '/x', name: 7 }],
    'mcp.add': [{ folder: '/x', name: 'a', place: 'managed', definition: {}, replace: false, before: null }],
    'mcp.remove': [{ folder: '/x' }],
    'mcp.reconnect': [{ name: 'linear' }],
    'mcp.test': [{ folder: '/x', name: 'x'.repeat(300) }],
    'mcp.resources': [{}],
    'slash.list': [{}, { folder: '' }],
    'slash.expand': [
      { folder: '/x', line: '/a', agent: null },
      { folder: '/x', line: 7, agent: null, approved: [] },
    ],
    'conversation.compact': [{}, { conversationId: 'c', instructions: 7 }],
    'history.list': [{ program: 'cursor' }],
    'history.continue': [{}, { conversationId: '' }],
    'history.progress': [{}],
    'history.cancel': [{}],
    'hooks.state': [{}],
    'hooks.decide': [{}, { folder: '/a', id: 'h', decision: 'maybe' }],
    'hooks.test': [{}, { folder: '/a', event: 'Unknown', tool: 'Bash', input: {} }],
    'agent.answerForm': [
      { agentId: 'a', conversationId: 'c', formId: 'f' },
      { agentId: 'a', conversationId: 'c', formId: 'f', answer: { action: 'agree' } },
    ],
    'agent.answer': [
      {
        conversationId: 'c',
        agentId: 'a',
        requestId: 'p',
        answer: { decision: 'withdrawn', feedback: null },
      },
    ],
    'agent.transcript': [
      { conversationId: 'c', agentId: 'a', before: -1, limit: 10 },
      { conversationId: 'c', agentId: 'a', before: null, limit: 1e9 },
    ],
    'agent.watch': [{ conversationId: 'c', agentIds: 'a' }],
    'agent.toolOutput': [{ agentId: 'a' }],
    'settings.change': [{ patch: { theme: 'blue' } }, { patch: { nope: 1 } }, { patch: { zoom: 9000 } }],
    'review.watch': [{ folder: '/x' }, { folder: '', watched: true }],
    'review.changes': [{ folder: '/x' }, { folder: '/x', id: '' }],
    'review.picture': [{ folder: '/x', id: 'w' }],
    'review.file': [
      { folder: '/x', id: 'w', path: '' },
      { folder: '/x', id: 'w', path: 'a', range: { kind: 'commit', commit: '--all' } },
    ],
    'review.conflicts': [{ folder: '/x', id: 'w', with: '', into: null }],
    'review.merge': [
      { folder: '/x', id: 'w', method: 'octopus', into: null, commits: [], message: null },
      { folder: '/x', id: 'w', method: 'cherry-pick', into: null, commits: ['--help'], message: null },
      { folder: '/x', id: 'w', method: 'merge', into: '', commits: [], message: null },
    ],
    'review.mergeResolved': [
      { folder: '/x', id: 'w', into: null, version: 'v', message: null, files: [{ path: 'a' }] },
      {
        folder: '/x',
        id: 'w',
        into: null,
        version: 'v',
        message: null,
        files: [{ path: 'a', text: 'x', use: 'ours' }],
      },
    ],
    'review.undoMerge': [{ folder: '/x' }],
    'review.takeBack': [
      { folder: '/x', id: 'w', path: '', version: 'v', part: null },
      {
        folder: '/x',
        id: 'w',
        path: 'a',
        version: 'v',
        part: { before: -1, beforeCount: 0, after: 0, afterCount: 1 },
      },
    ],
    'review.undoTakeBack': [{ folder: '/x' }],
    'review.resolve': [{ folder: '/x' }],
    'review.abortResolve': [{ id: 'w' }],
    'review.comment': [
      { folder: '/x', id: 'w', comments: [{ path: 'a', line: 0 }], message: '' },
      { folder: '/x', id: 'w', comments: [], message: 'x'.repeat(20_001) },
    ],
    'review.carryOver': [{ folder: '/x', id: 7 }],
    'review.discard': [{ folder: '/x', id: 'w' }],
    'review.undoDiscard': [{ folder: '/x' }],
    'review.removeMerged': [{}],
    'agentTests.state': [{}],
    'agentTests.versions': [{ folder: '/x', agent: 'a' }],
    'agentTests.resolve': [{ folder: '/x', agent: 'a', versions: [{ base: { type: 'newest' } }] }],
    'agentTests.estimate': [{ folder: '/x', agent: 'a', versions: [], caseFiles: [], attempts: 1 }],
    'agentTests.run': [{ folder: '/x', agent: 'a', versions: [], caseFiles: [], attempts: 51 }],
    'agentTests.stop': [{ folder: '/x' }],
    'agentTests.resume': [{ runId: 'r' }],
    'agentTests.readCase': [{ folder: '/x', agent: 'a' }],
    'agentTests.draftCase': [{ conversationId: 'c' }],
    'agentTests.saveCase': [{ folder: '/x', agent: 'a', file: null }],
    'agentTests.deleteCase': [{ folder: '/x', file: null }],
    'agentTests.export': [{ folder: '/x', agent: 'a', form: 'pdf' }],
    'environment.state': [{}],
    'environment.decide': [{ folder: '/x', digest: 'd', decision: 'maybe' }],
    'environment.setUp': [{ folder: '/x' }],
    'environment.skip': [{ id: 'w' }],
    'environment.run': [{ folder: '/x', id: 'w' }],
    'environment.stop': [{ folder: '/x', id: 'w', name: '' }],
    'environment.open': [{ folder: '/x', id: 'w', name: null }],
    'environment.log': [{ folder: '/x', id: 'w', source: null, lines: 0 }],
    'preview.open': [{ folder: '/x', id: 'w', name: 'web', path: 'cart' }],
    'preview.place': [{ place: { x: -1, y: 0, width: 1, height: 1, zoom: 1 } }],
    'preview.go': [{ path: 'https://example.invalid/' }],
    'preview.act': [{ action: 'print' }],
    'preview.close': [{ now: true }],
    'tutorial.start': [{ again: 'yes' }, { folder: '/x' }],
    'tutorial.skip': [{}, { step: 'all' }],
    'workers.test': [{ url: ' ', credentials: '', ca: '' }, { url: 'nats://x' }],
    'statusLine.test': [{ command: '  ' }, { command: 'x'.repeat(5000) }],
    'access.set': [{ kind: 'api' }, { kind: 'free' }, { kind: 'api', key: '', baseUrl: '' }],
    'access.test': [{ key: 'x' }],
    'access.models': [7],
    'insight.read': [
      {},
      { query: { by: 'size', since: null, until: null, folder: null, rehearsal: false, within: [] } },
      { query: { by: 'model', since: '1.11.2026', until: null, folder: null, rehearsal: false, within: [] } },
    ],
    'provider.save': [
      { name: 'lab' },
      { before: null, name: 'default', provider: { baseUrl: 'x' }, key: null },
    ],
    'provider.remove': [{}, { name: '../x' }],
    'provider.probe': [{}, { model: '' }],
    'system.openFile': [{ folder: '/x', path: 'a', line: 0 }],
    'system.openSetup': [{ folder: '/x' }, { folder: '/x', path: '' }],
    'system.openTerminal': [{}],
    'system.reveal': [{ path: null }],
    'system.importConversation': [7],
    'system.sendShared': [
      { conversationId: 'c', without: [], keepPaths: false, address: 7 },
      { conversationId: 'c', without: [], keepPaths: false, address: 'x'.repeat(3000) },
    ],
    'system.saveShared': [{ conversationId: 'c', format: 'pdf', without: [], keepPaths: false }],
    'system.openLink': [{ url: 7 }],
    'update.source': [{}, { url: 'https://example.com', key: 'x'.repeat(501) }],
    'system.notify': [{ title: 't', body: 'b', needsYou: -1 }],
  }

  for (const [name, inputs] of Object.entries(wrong)) {
    test.each(inputs)(`${name} with %j`, async (input) => {
      const handler = vi.fn(async () => ok(undefined))
      const { answer } = await dispatchTo({ [name]: handler }).dispatch(name, input)
      expect(answer).toMatchObject({ ok: false, failure: { type: 'bad-input' } })
      expect(JSON.stringify(answer)).toContain(name)
      expect(handler).not.toHaveBeenCalled()
    })
  }

  test('every command with input is tested above', () => {
    const untested = Object.keys(commands).filter((name) => !(name in wrong))
    expect(untested.sort()).toEqual([
      'changes.clean',
      'changes.space',
      'conversation.list',
      'conversation.requests',
      'conversation.sizes',
      'folder.sample',
      'mailboxes.list',
      'review.conversations',
      'sandbox.state',
      'search.prepare',
      'tutorial.endProgram',
      'tutorial.leave',
      'tutorial.state',
      'update.check',
      'update.install',
      'update.later',
      'workers.state',
    ])
  })

  test('invalid input, which may hold a key, is neither answered nor logged', async () => {
    const { dispatch, log } = dispatchTo({})
    const { answer } = await dispatch('access.set', { kind: 'api', key: 'sk-secret', baseUrl: 7 })
    expect(JSON.stringify(answer) + log.lines.join()).not.toContain('sk-secret')
    expect(answer).toMatchObject({ ok: false })
  })
})
