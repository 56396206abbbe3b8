import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import type { WaitingText } from '../../../shared/kernel/waiting-text.ts'
import type { ListedEntry, ListedRules } from '../../../shared/rules/contract.ts'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import { type Notice, onNotice } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { showSettingsPart } from '../../stores/settings-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { FOLDER, startWindow } from '../../testing/start-window.tsx'
import { SettingsPage } from './settings-page.tsx'

afterEach(() => {
  cleanup()
  act(() => showSettingsPart('general'))
})
const user = userEvent.setup()

const entry = (list: ListedEntry['list'], text: string, more: Partial<ListedEntry> = {}): ListedEntry => ({
  ...{ list, text, source: 'own', file: '/d/settings.json', line: 3, where: '/d/settings.json:3' },
  ...{ locked: null, unused: null },
  ...more,
})

const PUSH = entry('deny', 'Bash(git push:*)', {
  ...{ source: 'managed', file: '/etc/troupe/settings.json', line: 9, where: '/etc/troupe/settings.json:9' },
  locked: 'Your administrator sets this rule.',
})
const TEST = entry('allow', 'Bash(npm test:*)')
const SAVED = entry('allow', 'Bash(ls)', { source: 'saved', line: null, where: 'the rules of this folder' })
const DRY = entry('allow', 'Bash(git push --dry-run:*)', {
  ...{ source: 'local', where: '.claude/settings.local.json:4' },
  unused: 'It never counts: Bash(git push:*) in /etc/troupe/settings.json:9 denies these calls first.',
})

const rulesWith = (entries: readonly ListedEntry[], more: Partial<ListedRules> = {}): ListedRules => ({
  held: { deny: [], ask: [], allow: [], additionalDirectories: [] },
  entries,
  files: [
    { source: 'own', shown: '~/.config/troupe/settings.json', problem: null },
    {
      source: 'user',
      shown: '~/.claude/settings.json',
      problem: 'The file is broken, so it can’t be changed.',
    },
    { source: 'local', shown: '.claude/settings.local.json', problem: null },
  ],
  problems: [],
  ...more,
})

async function open(
  rules = rulesWith([PUSH, TEST, SAVED, DRY]),
  texts: readonly WaitingText[] = [],
): Promise<FakeBridge> {
  const bridge = await startWindow()
  bridge.answer({ 'rules.list': () => rules, 'texts.waiting': () => texts })
  act(() => showSettingsPart('permissions'))
  render(<SettingsPage />)
  await screen.findByRole('table', { name: 'Rules' })
  return bridge
}

const rowOf = (text: string): HTMLElement => {
  const row = screen.getByText(text, { selector: 'td, td *' }).closest('tr')
  if (row === null) throw new Error(`no row for ${text}`)
  return row
}

test('the rules of all sources are listed in the order in which they count, with file and line', async () => {
  await open(
    rulesWith([PUSH, TEST, SAVED, DRY], { problems: ['.claude/settings.json:3: "Bahs(x)" is no rule.'] }),
  )
  const rows = screen.getAllByRole('row').map(({ textContent }) => textContent)
  const starts = [
    'Deny 1',
    'Bash(git push:*)',
    'Ask 0',
    'Files that may',
    'Allow 3',
    'Bash(npm test:*)',
    'Bash(ls)',
  ]
  const places = starts.map((start) => rows.findIndex((row) => row?.startsWith(start)))
  expect(places).toEqual(places.toSorted((one, other) => one - other))
  expect(places).not.toContain(-1)
  expect(rowOf('Bash(npm test:*)').textContent).toContain('npm test with anything after it')
  expect(rowOf('Bash(git push:*)').textContent).toContain('/etc/troupe/settings.json:9')
  expect(rowOf('Bash(git push --dry-run:*)').textContent).toContain('It never counts: Bash(git push:*)')
  expect(screen.getByText(/"Bahs\(x\)" is no rule/)).toBeTruthy()
})

test('a locked rule says why, and has no buttons', async () => {
  await open()
  const row = within(rowOf('Bash(git push:*)'))
  expect(row.queryByRole('button', { name: /Edit|Remove|Approve/ })).toBeNull()
  expect(row.getByRole('button', { name: '/etc/troupe/settings.json:9' })).toBeTruthy()
  expect(row.getByText(/Locked\. Your administrator sets this rule/)).toBeTruthy()
})

test('a rule is removed with the keyboard, and can be brought back', async () => {
  const bridge = await open()
  const notices: Notice[] = []
  const stop = onNotice((notice) => notices.push(notice))
  bridge.answer({ 'rules.edit': () => rulesWith([PUSH]) })
  act(() => screen.getByRole('button', { name: 'Remove Bash(npm test:*)' }).focus())
  await user.keyboard('{Enter}')
  const from = { source: 'own', list: 'allow', text: 'Bash(npm test:*)' }
  expect(bridge.inputsOf('rules.edit')).toEqual([{ folder: FOLDER.path, from, to: null }])
  await waitFor(() => expect(screen.queryByText('Bash(npm test:*)')).toBeNull())
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Filter rules' }))
  expect(notices[0]?.text).toContain('Removed Bash(npm test:*)')
  notices[0]?.action?.run()
  expect(bridge.inputsOf('rules.edit')[1]).toEqual({ folder: FOLDER.path, from: null, to: from })
  stop()
})

test('a file that changed meanwhile keeps the list right, and the reason is shown', async () => {
  const bridge = await open()
  const notices: Notice[] = []
  const stop = onNotice((notice) => notices.push(notice))
  bridge.answer({
    'rules.list': () => rulesWith([SAVED]),
    'rules.edit': () => {
      throw new Error('Bash(npm test:*) is no longer in "allow".')
    },
  })
  await user.click(screen.getByRole('button', { name: 'Remove Bash(npm test:*)' }))
  expect(notices[0]).toEqual({ level: 'error', text: 'Bash(npm test:*) is no longer in "allow".' })
  await waitFor(() => expect(screen.queryByText('Bash(npm test:*)')).toBeNull())
  stop()
})

test('a rule is added with list, text and file; a wrong one shows the reason and stays', async () => {
  const bridge = await open()
  bridge.answer({
    'rules.edit': ({ to }) => {
      if (to?.text.startsWith('Bahs')) throw new Error('There is no tool Bahs. Did you mean Bash?')
      return rulesWith([PUSH, entry('ask', 'Bash(npm publish:*)', { source: 'local' })])
    },
  })
  await user.click(screen.getByRole('button', { name: 'Add a rule…' }))
  const form = within(await screen.findByRole('dialog'))
  await user.click(form.getByRole('radio', { name: 'Ask' }))
  const field = form.getByRole('textbox', { name: 'Rule' })
  await user.type(field, 'Bahs(npm publish:*){Enter}')
  expect(await form.findByText('There is no tool Bahs. Did you mean Bash?')).toBeTruthy()
  await user.clear(field)
  await user.type(field, 'Bash(npm publish:*)')
  expect(form.getByText('Covers npm publish with anything after it.')).toBeTruthy()
  await user.click(form.getByRole('radio', { name: 'Only this folder' }))
  expect(form.getByText('.claude/settings.local.json')).toBeTruthy()
  await user.click(form.getByRole('button', { name: 'Add' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(bridge.inputsOf('rules.edit').at(-1)).toEqual({
    folder: FOLDER.path,
    from: null,
    to: { source: 'local', list: 'ask', text: 'Bash(npm publish:*)' },
  })
  expect(rowOf('Bash(npm publish:*)')).toBeTruthy()
})

test('a rule moves to another list and file; a broken file can not be chosen', async () => {
  const bridge = await open()
  bridge.answer({ 'rules.edit': () => rulesWith([]) })
  await user.click(screen.getByRole('button', { name: 'Edit Bash(ls)' }))
  const form = within(await screen.findByRole('dialog'))
  await user.click(form.getByRole('radio', { name: 'Shared with other programs' }))
  expect(form.getByRole('alert').textContent).toContain('The file is broken')
  expect(form.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true')
  await user.click(form.getByRole('radio', { name: 'All my folders' }))
  await user.click(form.getByRole('radio', { name: 'Deny' }))
  await user.click(form.getByRole('button', { name: 'Save' }))
  expect(bridge.inputsOf('rules.edit')).toEqual([
    {
      folder: FOLDER.path,
      from: { source: 'saved', list: 'allow', text: 'Bash(ls)' },
      to: { source: 'own', list: 'deny', text: 'Bash(ls)' },
    },
  ])
})

test('the list is filtered by text, list and source', async () => {
  await open()
  const shown = () =>
    [PUSH, TEST, SAVED, DRY].filter(({ text }) => screen.queryByText(text) !== null).map(({ text }) => text)
  await user.type(screen.getByRole('textbox', { name: 'Filter rules' }), 'git')
  expect(shown()).toEqual([PUSH.text, DRY.text])
  await user.click(screen.getByRole('radio', { name: 'Allow 3' }))
  expect(shown()).toEqual([DRY.text])
  await user.click(screen.getByRole('radio', { name: 'User' }))
  expect(shown()).toEqual([])
  expect(screen.getByText('No rule matches.')).toBeTruthy()
})

test('a typed call shows the verdict of each part, and marks the rules that decide', async () => {
  const bridge = await open()
  const rule = { ...PUSH, source: 'managed' } as const
  const because = 'Denied by the rule Bash(git push:*) in /etc/troupe/settings.json:9.'
  bridge.answer({
    'rules.test': ({ agent, mode }) => ({
      ...{ agent, mode, trusted: true, tool: 'Bash', text: 'npm test && git push' },
      ...{ decision: 'deny', because, remedy: null, rules: [rule] },
      parts: [
        { text: 'npm test', decision: 'allow', because: 'Allowed by a rule.', remedy: null, rules: [TEST] },
        { text: 'git push', decision: 'deny', because, remedy: null, rules: [rule] },
      ],
    }),
  })
  await user.type(screen.getByRole('textbox', { name: 'Call to test' }), 'npm test && git push{Enter}')
  const parts = within(await screen.findByRole('list', { name: 'Parts of the command' })).getAllByRole(
    'listitem',
  )
  expect(parts.map(({ textContent }) => textContent)).toEqual([
    '1npm testallowedby a rule. (Troupe)',
    '2git pushdeniedby the rule Bash(git push:*) in /etc/troupe/settings.json:9. (managed)',
  ])
  expect(screen.getByText('because of part 2.')).toBeTruthy()
  expect(bridge.inputsOf('rules.test')).toEqual([
    { folder: FOLDER.path, call: 'Bash(npm test && git push)', agent: 'main', mode: 'default' },
  ])
  expect(rowOf('Bash(git push:*)').dataset['named']).toBe('true')
  expect(rowOf('Bash(npm test:*)').dataset['named']).toBe('true')
  expect(rowOf('Bash(ls)').dataset['named']).toBeUndefined()
})

test('another mode or agent tests the call again; a call that can not be read says so', async () => {
  const bridge = await open()
  act(() =>
    useSession.setState({
      settings: { ...defaultSettings, permissionMode: 'acceptEdits' },
      definitions: [
        {
          ...{ name: 'tester', description: '', source: 'user', color: 'red', model: '' },
          tools: null,
          hidden: false,
        },
      ],
    }),
  )
  bridge.answer({
    'rules.test': ({ agent, mode }) => ({
      ...{ agent, mode, trusted: true, tool: 'Read', text: '/etc/hosts', rules: [], parts: [] },
      ...{
        decision: 'ask',
        because: '/etc/hosts is outside the folder.',
        remedy: 'The rule Read allows this.',
      },
    }),
  })
  await user.type(screen.getByRole('textbox', { name: 'Call to test' }), 'Read(/etc/hosts){Enter}')
  expect((await screen.findByText(/outside the folder/)).textContent).toContain('The rule Read allows this.')
  await user.click(screen.getByRole('button', { name: /^As agent/ }))
  await user.click(await screen.findByRole('menuitemradio', { name: 'as tester' }))
  await user.click(screen.getByRole('button', { name: /^In mode/ }))
  const plan = await screen.findByRole('menuitemradio', { name: /^Plan only/ })
  expect(screen.queryByRole('menuitemradio', { name: /^Bypass/ })).toBeNull()
  await user.click(plan)
  await waitFor(() => expect(bridge.inputsOf('rules.test').length).toBe(3))
  expect(bridge.inputsOf('rules.test').map(({ call, agent, mode }) => [call, agent, mode])).toEqual([
    ['Read(/etc/hosts)', 'main', 'acceptEdits'],
    ['Read(/etc/hosts)', 'tester', 'acceptEdits'],
    ['Read(/etc/hosts)', 'tester', 'plan'],
  ])
  bridge.answer({
    'rules.test': () => {
      throw new Error('There is no tool Raed.')
    },
  })
  await user.clear(screen.getByRole('textbox', { name: 'Call to test' }))
  await user.type(screen.getByRole('textbox', { name: 'Call to test' }), 'Raed(x){Enter}')
  expect(await screen.findByText('There is no tool Raed.')).toBeTruthy()
})

test('an additional folder is an entry too', async () => {
  const bridge = await open(rulesWith([entry('additionalDirectories', '~/other')]))
  expect(screen.getByRole('textbox', { name: 'Filter rules' }).getAttribute('placeholder')).toBe(
    'Filter 0 rules',
  )
  expect(rowOf('~/other').textContent).toContain('read, and written where the mode allows it')
  bridge.answer({ 'rules.edit': () => rulesWith([]) })
  await user.click(screen.getByRole('button', { name: 'Remove ~/other' }))
  expect(bridge.inputsOf('rules.edit')[0]?.from).toEqual({
    ...{ source: 'own', list: 'additionalDirectories', text: '~/other' },
  })
})

test('an instruction that changed is shown with its difference, and approved with one press', async () => {
  const text: WaitingText = {
    ...{ path: '/work/CLAUDE.md', name: 'CLAUDE.md', digest: 'd1' },
    former: 'Use tabs.\n',
    text: 'Use spaces.\n',
  }
  const bridge = await open(rulesWith([]), [text])
  const article = await screen.findByRole('article', { name: 'CLAUDE.md' })
  expect(article.textContent).toContain('Use tabs.')
  expect(article.textContent).toContain('Use spaces.')
  bridge.answer({ 'texts.approve': () => [] })
  await user.click(within(article).getByRole('button', { name: 'Approve CLAUDE.md' }))
  await waitFor(() => expect(screen.queryByRole('article')).toBeNull())
  expect(bridge.inputsOf('texts.approve')).toEqual([{ folder: FOLDER.path, path: text.path, digest: 'd1' }])
})

test('an entry that waits says why, and is approved with one press', async () => {
  const waiting: ListedEntry = {
    ...DRY,
    list: 'allow',
    text: 'Bash(make)',
    source: 'local',
    locked: null,
    unused: 'It came into the file after you last saw it.',
    waits: true,
  }
  const bridge = await open(rulesWith([waiting]))
  const { waits: _, ...approved } = { ...waiting, unused: null }
  bridge.answer({ 'rules.approve': () => rulesWith([approved]) })
  expect(rowOf('Bash(make)').textContent).toContain('after you last saw it')
  await userEvent.click(screen.getByRole('button', { name: 'Approve Bash(make)' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Approve Bash(make)' })).toBeNull())
  expect(rowOf('Bash(make)').textContent).not.toContain('after you last saw it')
})
