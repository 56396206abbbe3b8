import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SampleLog, snapshotOf, stateAfter } from '../../../shared/testing/sample-log.ts'
import { BODY, mergePlace } from '../../features/definitions/compare/merge-fields.ts'
import { keepMerge } from '../../features/definitions/compare/merge-texts.ts'
import { NO_EDITOR, openedOf, useEditor } from '../../features/definitions/editor-store.ts'
import {
  agentText,
  type EditorBridge,
  FOLDER_PATH,
  projectId,
  startEditor,
} from '../../features/definitions/testing/editor-bridge.ts'
import { useTryOut } from '../../features/definitions/try-out-store.ts'
import { useDrafts } from '../../stores/draft-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { deferred } from '../../testing/deferred.ts'
import { summaryOf } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { paletteCommands } from '../palette-commands.ts'
import { StatusBar } from '../status-bar.tsx'
import { Toasts } from '../toasts.tsx'
import { AgentsView } from './agents-view.tsx'

let world: EditorBridge

const FILES = [
  { source: 'project', path: 'alpha.md', text: agentText('alpha') },
  { source: 'project', path: 'beta.md', text: agentText('beta') },
  {
    source: 'project',
    path: 'broken.md',
    text: '---\nname: broken\ndescription: Use it when: never\npermissionMode: yolo\n---\n',
  },
  { source: 'user', path: 'alpha.md', text: agentText('alpha') },
  { source: 'built-in', path: 'Explore.md', text: agentText('Explore') },
] as const

beforeEach(() => {
  // happy-dom has no layout: every element gets the same size.
  for (const size of ['clientHeight', 'clientWidth', 'offsetHeight', 'offsetWidth'] as const)
    vi.spyOn(HTMLElement.prototype, size, 'get').mockReturnValue(1000)
})
afterEach(() => {
  cleanup()
  useTryOut.setState({ tryOut: null })
})

async function show(files: Parameters<typeof startEditor>[0] = FILES, isTrusted = true) {
  world = await startEditor(files, { isTrusted })
  render(
    <TooltipProvider>
      <AgentsView />
      <StatusBar onShowRequests={() => {}} />
      <Toasts />
    </TooltipProvider>,
  )
  await waitFor(() => expect(useEditor.getState().phase).toBe('ready'))
  return userEvent.setup()
}

const list = () => screen.getByRole('list', { name: 'Agents' })
const row = (id: string) => {
  const found = list().querySelector<HTMLElement>(`[data-entry="${CSS.escape(id)}"]`)
  if (found === null) throw new Error(`${id} is not in the list`)
  return found
}
const focused = () => (document.activeElement as HTMLElement | null)?.dataset['entry']
const titled = (path: string) => screen.findByRole('heading', { name: new RegExp(path) })
const select = async (user: UserEvent, id: string) => {
  await user.click(row(id))
  await waitFor(() => expect(openedOf(id)).toBeDefined())
}
const change = (id: string, insert: string) =>
  act(() => openedOf(id)?.document.edit([{ from: 0, to: 0, insert }]))

test('the list marks broken, shadowed and unsaved agents, and the status bar counts them', async () => {
  const user = await show()
  expect(row(projectId('broken.md')).textContent).toBe('broken.mdline 4')
  expect(row('/home/ada/.claude/agents/alpha.md').textContent).toBe('alpha~/.claude/agents/alpha.mdshadowed')
  await select(user, projectId('beta.md'))
  change(projectId('beta.md'), '\n')
  expect(row(projectId('beta.md')).textContent).toBe('betaunsaved')
  expect(screen.getByText('5 agents · 1 with problems')).toBeTruthy()
  expect(screen.getByText('watching .claude/agents')).toBeTruthy()
})

test('the palette’s “New agent…” opens the dialog; in an untrusted folder it creates a user agent', async () => {
  await show(FILES, false)
  const command = paletteCommands().find(({ id }) => id === 'new-agent')
  expect(command?.keys).toBe('Mod Shift A')
  act(() => command?.run())
  const dialog = await screen.findByRole('dialog', { name: 'New agent' })
  expect(within(dialog).getByText(/^~\/\.claude\/agents/)).toBeDefined()
})

test('the status bar shows the counts only while the view is open', async () => {
  await show()
  expect(screen.getByText(/5 agents/)).toBeTruthy()
  cleanup()
  render(<StatusBar onShowRequests={() => {}} />)
  expect(screen.queryByText(/5 agents/)).toBeNull()
})

test('arrow keys, Home and End move through the list and open each agent', async () => {
  const user = await show()
  await user.click(row(projectId('alpha.md')))
  await user.keyboard('{ArrowDown}')
  await waitFor(() => expect(focused()).toBe(projectId('beta.md')))
  await titled('beta.md')
  await user.keyboard('{End}')
  await waitFor(() => expect(focused()).toBe('built-in:Explore.md'))
  await titled('Explore.md')
  await user.keyboard('{ArrowDown}{Home}')
  await waitFor(() => expect(focused()).toBe(projectId('alpha.md')))
  await titled('alpha.md')
  await user.keyboard('{Enter}')
  expect(document.activeElement?.tagName).toBe('INPUT')
})

test('letters typed in the list search it; Enter opens the first match, Escape clears the search', async () => {
  const user = await show()
  await user.click(row(projectId('alpha.md')))
  await user.keyboard('bet')
  const search = screen.getByLabelText<HTMLInputElement>('Search agents')
  expect(search.value).toBe('bet')
  await waitFor(() => expect(within(list()).getAllByRole('button', { name: /beta/ })).toHaveLength(1))
  expect(within(list()).queryByRole('button', { name: /alpha/ })).toBeNull()
  await user.keyboard('{Enter}')
  await titled('beta.md')
  await user.keyboard('/')
  expect(document.activeElement).toBe(search)
  await user.clear(search)
  await user.keyboard('nothing like it')
  await screen.findByText('No matching agents.')
  await user.keyboard('{Escape}')
  expect(search.value).toBe('')
  await waitFor(() => expect(row(projectId('alpha.md'))).toBeTruthy())
  await user.keyboard('{Escape}')
  await waitFor(() => expect(focused()).toBe(projectId('beta.md')))
  await user.keyboard('{Control>}f{/Control}')
  expect(document.activeElement).toBe(search)
})

test('the list, the arrow keys and the selection after a deletion follow the names, not the files', async () => {
  const user = await show([
    { source: 'project', path: '1.md', text: agentText('zeta') },
    { source: 'project', path: '2.md', text: agentText('beta') },
    { source: 'project', path: '3.md', text: agentText('alpha') },
  ])
  const shown = within(list()).getAllByRole('button', { name: /^(alpha|beta|zeta)/ })
  expect(shown.map(({ textContent }) => textContent)).toEqual(['alpha', 'beta', 'zeta'])
  await titled('3.md')
  await user.click(row(projectId('3.md')))
  await user.keyboard('{ArrowDown}')
  await waitFor(() => expect(focused()).toBe(projectId('2.md')))
  await user.keyboard('{Delete}')
  await waitFor(() => expect(focused()).toBe(projectId('1.md')))
  await user.keyboard('{Delete}')
  await waitFor(() => expect(focused()).toBe(projectId('3.md')))
})

test('filters are set in the menu with the keyboard, apply to the arrow keys, and are removed by their chips', async () => {
  const user = await show([
    ...FILES,
    { source: 'project', path: 'smart.md', text: agentText('smart', 'model: opus\ntools: Read\n') },
    { source: 'user', path: 'smarter.md', text: agentText('smarter', 'model: opus\n') },
  ])
  screen.getByRole('button', { name: 'Filter agents' }).focus()
  await user.keyboard('{Enter}')
  await user.click(await screen.findByRole('menuitemcheckbox', { name: /^opus/ }))
  await user.keyboard('{Escape}')
  const shown = () => useEditor.getState().listed
  const ofUser = (path: string) => `/home/ada/.claude/agents/${path}`
  await waitFor(() => expect(shown()).toEqual([projectId('smart.md'), ofUser('smarter.md')]))
  await user.click(row(projectId('smart.md')))
  await user.keyboard('{ArrowDown}{ArrowDown}')
  await waitFor(() => expect(focused()).toBe(ofUser('smarter.md')))
  await user.click(screen.getByRole('button', { name: 'Filter agents (1 set)' }))
  await user.click(await screen.findByRole('menuitemcheckbox', { name: /^Bash/ }))
  await user.click(await screen.findByRole('menuitemcheckbox', { name: /^With problems/ }))
  await user.keyboard('{Escape}')
  await screen.findByText('No matching agents.')
  await user.click(screen.getByRole('button', { name: 'Remove filter With problems' }))
  expect(document.activeElement).toBe(screen.getByLabelText('Search agents'))
  await waitFor(() => expect(shown()).toEqual([ofUser('smarter.md')]))
  await user.click(screen.getByRole('button', { name: 'Remove filter Tool: Bash' }))
  await user.click(screen.getByRole('button', { name: 'Remove filter Model: opus' }))
  await waitFor(() => expect(shown()).toHaveLength(7))
})

test('Enter in the search opens the best match, which may be in the last group', async () => {
  const user = await show([
    { source: 'project', path: 'a.md', text: agentText('a', '', 'Explore the code.\n') },
    { source: 'built-in', path: 'Explore.md', text: agentText('Explore') },
  ])
  await user.click(screen.getByLabelText('Search agents'))
  await user.keyboard('explore{Enter}')
  await titled('Explore.md')
  expect(useEditor.getState().listed).toEqual(['built-in:Explore.md', projectId('a.md')])
  expect(row('built-in:Explore.md').textContent).toBe('ExploreBuilt in')
})

test('of 2,000 agents only visible ones are rendered, and all can be reached', async () => {
  const user = await show(
    Array.from({ length: 2000 }, (_, index) => ({
      source: 'user' as const,
      path: `${String(index).padStart(4, '0')}.md`,
      text: agentText(`agent-${index}`),
    })),
  )
  expect(within(list()).getAllByRole('listitem').length).toBeLessThan(100)
  await user.click(row('/home/ada/.claude/agents/0000.md'))
  await user.keyboard('{End}')
  await waitFor(() => expect(focused()).toBe('/home/ada/.claude/agents/1999.md'))
  expect(within(list()).getAllByRole('listitem').length).toBeLessThan(200)
})

test('Mod S saves the text, wherever the focus is; Mod Z undoes a fix', async () => {
  const user = await show()
  const broken = projectId('broken.md')
  await select(user, broken)
  await user.click(within(screen.getByRole('list', { name: 'Problems' })).getByText('Quote the description'))
  expect(openedOf(broken)?.document.text).toContain('"Use it when: never"')
  await user.keyboard('{Control>}z{/Control}')
  expect(openedOf(broken)?.document.text).toContain('description: Use it when: never')
  await user.keyboard('{Control>}{Shift>}z{/Shift}{/Control}')
  await user.keyboard('{Control>}s{/Control}')
  await waitFor(() => expect(world.disk.open(broken).text).toContain('"Use it when: never"'))
})

test('a problem links to its line, and opens the source when only the form is visible', async () => {
  const user = await show()
  await select(user, projectId('broken.md'))
  await user.click(screen.getByRole('radio', { name: 'Form' }))
  expect(screen.queryByRole('region', { name: 'Source' })).toBeNull()
  await user.click(screen.getByRole('button', { name: /4:\d+/ }))
  const source = screen.getByRole('region', { name: 'Source' })
  expect(within(source).getByRole('textbox').textContent).toContain('permissionMode: yolo')
})

test('the panels below collapse, and stay collapsed for the next agent', async () => {
  const user = await show()
  await select(user, projectId('broken.md'))
  await user.click(screen.getByRole('button', { name: 'Collapse panels' }))
  expect(screen.queryByRole('list', { name: 'Problems' })).toBeNull()
  await select(user, projectId('beta.md'))
  await user.click(screen.getByRole('button', { name: 'Expand panels' }))
  expect(screen.getByText('No problems.')).toBeTruthy()
})

test('a misspelled safety key is shown with its choices, and is decided by either', async () => {
  const text = '---\nname: two\ndescription: d\npermisionMode: plan\n---\n'
  const user = await show([{ source: 'project', path: 'two.md', text }])
  await select(user, projectId('two.md'))
  const problems = screen.getByRole('list', { name: 'Problems' })
  expect(problems.textContent).toContain('The agent is not offered until you rename permisionMode')
  expect(screen.getByText('Not announced until its errors are fixed.')).toBeTruthy()
  await user.click(within(problems).getByRole('button', { name: 'Keep permisionMode' }))
  await screen.findByText('No problems.')
  expect(openedOf(projectId('two.md'))?.document.text).toBe(
    text.replace('permisionMode', 'permissionMode:\npermisionMode'),
  )
  await user.keyboard('{Control>}z{/Control}')
  const again = await screen.findByRole('list', { name: 'Problems' })
  await user.click(within(again).getByRole('button', { name: 'Rename to permissionMode' }))
  await screen.findByText('No problems.')
  expect(openedOf(projectId('two.md'))?.document.text).toBe(text.replace('permision', 'permission'))
})

test('Fix all applies all fixes as one undo step', async () => {
  const user = await show([
    {
      source: 'project',
      path: 'two.md',
      text: '---\nname: two\ndescription: Use it when: never\ntools: Raed\n---\n',
    },
  ])
  await select(user, projectId('two.md'))
  await user.click(screen.getByRole('button', { name: 'Fix all' }))
  await screen.findByText('No problems.')
  expect(openedOf(projectId('two.md'))?.document.text).toBe(
    '---\nname: two\ndescription: "Use it when: never"\ntools: Read\n---\n',
  )
  await user.keyboard('{Control>}z{/Control}')
  expect(openedOf(projectId('two.md'))?.document.text).toContain('tools: Raed')
})

test('a banner reports recovered unsaved changes, which can be reverted', async () => {
  const user = await show()
  const beta = projectId('beta.md')
  await select(user, beta)
  change(beta, '\n')
  window.dispatchEvent(new Event('pagehide'))
  cleanup()
  useEditor.setState(NO_EDITOR, true)
  render(
    <TooltipProvider>
      <AgentsView />
    </TooltipProvider>,
  )
  const feedback = await screen.findByText('Recovered unsaved changes from your last session.')
  const banner = feedback.parentElement ?? feedback
  expect(openedOf(beta)?.document.text).toBe(`\n${agentText('beta')}`)
  await user.click(within(banner).getByRole('button', { name: 'Revert' }))
  expect(openedOf(beta)?.document.text).toBe(agentText('beta'))
  expect(row(beta).textContent).toBe('beta')
})

test('Delete moves an agent to the trash and selects the next; Undo restores it', async () => {
  const user = await show()
  await user.click(row(projectId('beta.md')))
  await user.keyboard('{Delete}')
  await waitFor(() => expect(focused()).toBe(projectId('broken.md')))
  expect(() => world.disk.open(projectId('beta.md'))).toThrow()
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(world.disk.open(projectId('beta.md')).text).toBe(agentText('beta')))
  await titled('beta.md')
  await waitFor(() => expect(focused()).toBe(projectId('beta.md')))
})

test('unsaved changes go to the trash with their agent, and come back with it', async () => {
  const user = await show()
  const beta = projectId('beta.md')
  await user.click(row(beta))
  await waitFor(() => expect(openedOf(beta)).toBeDefined())
  const typed = `${agentText('beta')}More.\n`
  act(() => openedOf(beta)?.document.replaceWith(typed))
  await user.keyboard('{Delete}')
  await waitFor(() => expect(focused()).toBe(projectId('broken.md')))
  await user.click(screen.getByRole('button', { name: 'Deleted agents…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Deleted agents' }))
  await user.click(await dialog.findByRole('button', { name: 'Restore' }))
  await waitFor(() => expect(openedOf(beta)?.document.text).toBe(typed))
  expect(world.disk.open(beta).text).toBe(agentText('beta'))
})

test('F2 renames; a name that is taken, empty or contains a colon shows an error', async () => {
  const user = await show()
  await user.click(row(projectId('beta.md')))
  await user.keyboard('{F2}')
  const name = await screen.findByRole('textbox', { name: 'Name' })
  for (const [typed, feedback] of [
    ['alpha', 'The file alpha.md already exists. Choose another name.'],
    ['kit:x', 'The name must be one line without a colon, which separates a plugin from its agents.'],
  ] as const) {
    await user.clear(name)
    await user.type(name, typed)
    expect(screen.getByText(feedback)).toBeTruthy()
    await user.keyboard('{Enter}')
    expect(world.bridge.inputsOf('definition.move')).toEqual([])
  }
  await user.clear(name)
  expect(screen.getByText('The name is empty.')).toBeTruthy()
  await user.type(name, 'gamma{Enter}')
  await waitFor(() =>
    expect(world.disk.open(projectId('gamma.md')).text).toBe(
      agentText('beta').replace('name: beta', 'name: gamma'),
    ),
  )
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a locked agent can be duplicated, and the duplicate shadows it', async () => {
  const user = await show()
  await select(user, 'built-in:Explore.md')
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Duplicate' }))
  expect(await screen.findByText('Shadows the built-in agent of this name.')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Duplicate' }))
  await waitFor(() => expect(world.disk.open(projectId('explore.md')).text).toBe(agentText('Explore')))
  await waitFor(() => expect(row('built-in:Explore.md').textContent).toBe('ExploreExplore.mdshadowed'))
})

test('an agent can be created from a template with the keyboard', async () => {
  const user = await show([])
  const make = await screen.findByRole('button', { name: 'New agent…' })
  make.focus()
  await user.keyboard('{Enter}')
  await screen.findByRole('radio', { name: /^Reviewer/ })
  await user.click(screen.getByRole('radio', { name: /^Explorer/ }))
  const name = screen.getByRole('textbox', { name: 'Name' })
  await user.clear(name)
  await user.type(name, 'pathfinder{Enter}')
  await titled('pathfinder.md')
  expect(world.disk.open(projectId('pathfinder.md')).text).toMatch(
    /^---\nname: pathfinder\n(.*\n)*readOnly: true/,
  )
  await waitFor(() => expect(focused()).toBe(projectId('pathfinder.md')))
})

test('an agent drafted from a description opens unsaved; Stop ends the draft and keeps the description', async () => {
  const user = await show()
  const first = deferred<{ text: string }>()
  world.bridge.answer({ 'definition.draft': () => first.promise })
  await user.click(screen.getByRole('button', { name: 'New user agent' }))
  await user.click(await screen.findByRole('radio', { name: 'Description' }))
  await user.type(
    screen.getByLabelText('What should it do, and when should it be used?'),
    'Checks migrations',
  )
  await user.click(screen.getByRole('button', { name: 'Write draft' }))
  await user.click(await screen.findByRole('button', { name: 'Stop' }))
  expect(world.bridge.inputsOf('definition.stopDraft')).toHaveLength(1)
  await act(async () => first.resolve({ text: agentText('late') }))
  expect(screen.getByRole('dialog')).toBeTruthy()

  world.bridge.answer({ 'definition.draft': () => ({ text: agentText('alpha', 'readOnly: true\n') }) })
  await user.keyboard('{Control>}{Enter}{/Control}')
  await titled('alpha-2.md')
  expect(world.bridge.inputsOf('definition.draft').at(-1)).toEqual({
    folder: FOLDER_PATH,
    description: 'Checks migrations',
  })
  expect(() => world.disk.open('/home/ada/.claude/agents/alpha-2.md')).toThrow()
  await user.keyboard('{Control>}s{/Control}')
  await waitFor(() =>
    expect(world.disk.open('/home/ada/.claude/agents/alpha-2.md').text).toContain('readOnly: true'),
  )
})

test('a failed draft shows the reason in the dialog', async () => {
  const user = await show()
  world.bridge.answer({
    'definition.draft': () => {
      throw new Error('There is no access to a model.')
    },
  })
  await user.click(screen.getByRole('button', { name: 'New user agent' }))
  await user.click(await screen.findByRole('radio', { name: 'Description' }))
  await user.type(screen.getByLabelText('What should it do, and when should it be used?'), 'x')
  await user.click(screen.getByRole('button', { name: 'Write draft' }))
  expect(await screen.findByText('There is no access to a model.')).toBeTruthy()
})

test('an untrusted folder shows that its agents are not loaded, and is not offered for new agents', async () => {
  const user = await show(FILES, false)
  expect(screen.getByText(/is not trusted, so the project’s agents are not loaded/)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'New user agent' }))
  await screen.findByRole('radio', { name: 'All my projects' })
  expect(screen.queryByRole('radio', { name: 'This project' })).toBeNull()
})

test('a file change on disk below unsaved changes offers the comparison, which can keep the unsaved text', async () => {
  const user = await show()
  const beta = projectId('beta.md')
  await select(user, beta)
  const mine = agentText('beta', 'color: red\n')
  act(() => openedOf(beta)?.document.replaceWith(mine))
  act(() => world.changeOnDisk(beta, agentText('beta', 'color: pink\n')))
  await user.click(await screen.findByRole('button', { name: 'Compare' }))
  keepMerge(mergePlace(beta, BODY), { mine: 'm', theirs: 't', text: 'typed' })
  await user.click(await screen.findByRole('button', { name: 'Take mine' }))
  expect(useDrafts.getState().drafts[`definition-merge:${mergePlace(beta, BODY)}`]?.text).toBe('')
  expect(openedOf(beta)).toMatchObject({ base: agentText('beta', 'color: pink\n'), onDisk: { kind: 'same' } })
  expect(openedOf(beta)?.document.text).toBe(mine)
})

test('a change on disk of other fields is noted quietly, and the note can be closed', async () => {
  const user = await show()
  const beta = projectId('beta.md')
  await select(user, beta)
  change(beta, '\n')
  act(() => world.changeOnDisk(beta, agentText('beta', 'color: pink\n')))
  expect(await screen.findByText('Taken from disk: color. Your changes are kept.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Compare' })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'OK' }))
  expect(screen.queryByText(/Taken from disk/)).toBeNull()
})

test('a missing closing line of dashes is shown before it is added, and can be undone', async () => {
  const broken = '---\nname: open\ndescription: Never ends.\n\nLook around.\n'
  const user = await show([{ source: 'project', path: 'open.md', text: broken }])
  const id = projectId('open.md')
  await select(user, id)
  const [first] = await screen.findAllByRole('button', { name: 'Add three dashes after line 3' })
  await user.click(first as HTMLElement)
  const dialog = await screen.findByRole('dialog', { name: 'Add three dashes after line 3' })
  expect(within(dialog).getByRole('region', { name: /^Changes/ }).textContent).toContain('---')
  expect(openedOf(id)?.document.text).toBe(broken)
  await user.click(within(dialog).getByRole('button', { name: 'Fix' }))
  expect(openedOf(id)?.document.text).toBe(broken.replace('ends.\n', 'ends.\n---\n'))
  act(() => void openedOf(id)?.document.undo())
  expect(openedOf(id)?.document.text).toBe(broken)
})

test('a file in another encoding names it and its line, and is converted after a look at the lines', async () => {
  const text = agentText('latin').replace('Looks', 'Prüft')
  const notUtf8 = { encoding: 'Windows-1252 (Latin-1)', line: 3 }
  const user = await show([{ source: 'project', path: 'latin.md', text, notUtf8 }])
  const id = projectId('latin.md')
  await select(user, id)
  expect(await screen.findByText(/The file is Windows-1252 \(Latin-1\), not UTF-8/)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Show line 3' }))
  await user.click(screen.getByRole('button', { name: 'Fix…' }))
  const dialog = await screen.findByRole('dialog', { name: 'Save as UTF-8' })
  expect(within(dialog).getByRole('listitem').textContent).toContain('description: Prüft after latin.')
  await user.click(within(dialog).getByRole('button', { name: 'Save as UTF-8' }))
  await waitFor(() => expect(screen.queryByText(/not UTF-8/)).toBeNull())
  expect(world.disk.open(id).notUtf8).toBeUndefined()
})

/** Answers with a scratch conversation whose agent has a pending permission request. */
function answerTryOut(id: string): void {
  const script = new SampleLog()
  const agent = stateAfter([
    script.spawn(`main-${id}`, { conversationId: id }),
    script.asks(`main-${id}`, 'p1'),
  ])
  world.bridge.answer({
    'definition.tryOut': () => summaryOf(id, { scratch: true }),
    'conversation.subscribe': ({ conversationId }) =>
      snapshotOf(conversationId, [agent], { folder: FOLDER_PATH, title: 'beta', scratch: true }),
    'agent.transcript': () => ({ events: [], older: false, live: [] }),
  })
}

test('Try it runs the unsaved text, its requests can be answered, and closing it restores the stage', async () => {
  const user = await show()
  const beta = projectId('beta.md')
  await select(user, beta)
  change(beta, '\n')
  answerTryOut('scratch-1')
  await user.click(screen.getByRole('button', { name: 'Try it…' }))
  await screen.findByText('Trying beta')
  expect(world.bridge.inputsOf('definition.tryOut')).toEqual([
    { folder: FOLDER_PATH, id: beta, text: `\n${agentText('beta')}`, worktree: false },
  ])
  expect(useSession.getState()).toMatchObject({ conversationId: 'scratch-1', conversations: [] })
  const allow = await screen.findByRole('button', { name: /Allow once/ })
  expect(screen.queryByText(/permissions? waiting/)).toBeNull()
  // A press right after the request appeared does nothing.
  await waitFor(async () => {
    await user.click(allow)
    expect(world.bridge.inputsOf('agent.answer')).toHaveLength(1)
  })
  expect(world.bridge.inputsOf('agent.answer')).toEqual([
    {
      conversationId: 'scratch-1',
      agentId: 'main-scratch-1',
      requestId: 'p1',
      answer: { decision: 'allow-once' },
    },
  ])
  change(beta, '\n')
  answerTryOut('scratch-2')
  await user.click(screen.getByRole('button', { name: 'Start again with changes' }))
  await waitFor(() => expect(useSession.getState().conversationId).toBe('scratch-2'))
  expect(world.bridge.inputsOf('conversation.trash')).toEqual([{ conversationId: 'scratch-1' }])
  await user.click(screen.getByRole('button', { name: 'Close and forget this conversation' }))
  expect(useSession.getState()).toMatchObject({ conversationId: null, scratch: null })
  expect(world.bridge.inputsOf('conversation.trash')).toHaveLength(2)
})

test('the trash shows deleted agents and their texts, restores one, and asks before deleting for good', async () => {
  const user = await show()
  await user.click(row(projectId('alpha.md')))
  await user.keyboard('{Delete}')
  await waitFor(() => expect(focused()).toBe(projectId('beta.md')))
  await user.keyboard('{Delete}')
  await waitFor(() => expect(focused()).toBe(projectId('broken.md')))
  await user.click(screen.getByRole('button', { name: 'Deleted agents…' }))
  const dialog = await screen.findByRole('dialog', { name: 'Deleted agents' })
  const rows = within(await within(dialog).findByRole('list', { name: 'Deleted agents' }))
  expect(rows.getAllByRole('button').map(({ title }) => title)).toEqual([
    projectId('beta.md'),
    projectId('alpha.md'),
  ])
  expect(await within(dialog).findByText(/Looks after beta/)).toBeTruthy()
  expect(
    within(dialog).getByText(/^\/home\/ada\/\.local\/share\/troupe\/trash\/definitions\/trash-/),
  ).toBeTruthy()
  act(() => rows.getByRole('button', { name: /beta/ }).focus())
  await user.keyboard('{ArrowDown}{ArrowDown}')
  expect(document.activeElement).toBe(rows.getByRole('button', { name: /alpha/ }))
  expect(await within(dialog).findByText(/Looks after alpha/)).toBeTruthy()
  await user.click(within(dialog).getByRole('button', { name: 'Delete for good…' }))
  const question = await screen.findByRole('dialog', { name: 'Delete for good?' })
  expect(within(question).getByText(/^alpha is deleted/)).toBeTruthy()
  await user.keyboard('{Escape}')
  expect(world.bridge.inputsOf('definition.deleteTrashed')).toEqual([])
  // The choice stays.
  const again = within(await screen.findByRole('dialog', { name: 'Deleted agents' }))
  expect(again.getByRole('button', { name: /alpha/ }).getAttribute('aria-current')).toBe('true')
  await user.click(again.getByRole('button', { name: 'Delete for good…' }))
  await user.click(await screen.findByRole('button', { name: 'Delete for good' }))
  await waitFor(() => expect(world.disk.listTrash().definitions).toHaveLength(1))
  const last = within(await screen.findByRole('dialog', { name: 'Deleted agents' }))
  await last.findByText(/Looks after beta/)
  await user.click(last.getByRole('button', { name: 'Restore' }))
  await waitFor(() => expect(world.disk.open(projectId('beta.md')).text).toBe(agentText('beta')))
  await waitFor(() => expect(focused()).toBe(projectId('beta.md')))
  expect(screen.queryByRole('dialog', { name: 'Deleted agents' })).toBeNull()
})

test('a restore onto a file that exists again says so in the trash', async () => {
  const user = await show()
  await user.click(row(projectId('beta.md')))
  await user.keyboard('{Delete}')
  await waitFor(() => expect(focused()).toBe(projectId('broken.md')))
  world.bridge.answer({
    'definition.restore': () => {
      throw new Error('beta.md already exists. Choose another name.')
    },
  })
  await user.click(screen.getByRole('button', { name: 'Deleted agents…' }))
  await user.click(await screen.findByRole('button', { name: 'Restore' }))
  expect((await screen.findByRole('alert')).textContent).toContain('already exists')
})

test.each([
  ['can write', '', 'main', true],
  ['only reads', 'tools: Read, Grep\n', 'main', false],
  ['is read-only', 'readOnly: true\n', 'main', false],
  ['only plans', 'permissionMode: plan\n', 'main', false],
  ['asks for a worktree', 'tools: Read\nisolation: worktree\n', 'main', true],
  ['can write, without a git repository', '', null, false],
] as const)(
  'an agent that %s is tried in its own worktree by default only if that helps',
  async (_, more, gitBranch, expected) => {
    const user = await show([{ source: 'project', path: 'beta.md', text: agentText('beta', more) }])
    act(() =>
      useSession.setState(({ folder }) => ({ folder: folder === null ? null : { ...folder, gitBranch } })),
    )
    await select(user, projectId('beta.md'))
    answerTryOut('scratch-1')
    await user.click(screen.getByRole('button', { name: 'Try it…' }))
    const radio = await screen.findByRole('radio', { name: expected ? 'Own worktree' : 'This folder' })
    expect(radio.getAttribute('aria-checked')).toBe('true')
    expect(world.bridge.inputsOf('definition.tryOut')).toMatchObject([{ worktree: expected }])
  },
)

test('another place starts the try-out again, and a worktree that fails offers the folder', async () => {
  const user = await show()
  await select(user, projectId('beta.md'))
  answerTryOut('scratch-1')
  await user.click(screen.getByRole('button', { name: 'Try it…' }))
  await screen.findByText('Trying beta')
  world.bridge.answer({
    'definition.tryOut': () => {
      throw new Error('/p is not a git repository.')
    },
  })
  await user.click(screen.getByRole('radio', { name: 'Own worktree' }))
  await screen.findByText('/p is not a git repository.')
  expect(world.bridge.inputsOf('conversation.trash')).toEqual([{ conversationId: 'scratch-1' }])
  answerTryOut('scratch-2')
  await user.click(screen.getByRole('button', { name: 'Try in this folder' }))
  await waitFor(() => expect(useSession.getState().conversationId).toBe('scratch-2'))
  expect(world.bridge.inputsOf('definition.tryOut').map(({ worktree }) => worktree)).toEqual([
    false,
    true,
    false,
  ])
  expect(await screen.findByText(/What it does to files is real/)).toBeTruthy()
})

test('a failed try-out shows the reason', async () => {
  const user = await show()
  await select(user, projectId('broken.md'))
  world.bridge.answer({
    'definition.tryOut': () => {
      throw new Error('This can’t be tried out yet. Line 4: …')
    },
  })
  await user.click(screen.getByRole('button', { name: 'Try it…' }))
  expect(await screen.findByText('This can’t be tried out yet. Line 4: …')).toBeTruthy()
})

test('a project’s agent with more rights shows its changes, and is approved from the keyboard as it was seen', async () => {
  const former = agentText('alpha', 'tools: Read\n')
  const user = await show([
    ...FILES.slice(1),
    { source: 'project', path: 'alpha.md', text: agentText('alpha', 'tools: Read, Bash\n'), former },
  ])
  const id = projectId('alpha.md')
  expect(row(id).textContent).toContain('approve')
  const card = await screen.findByRole('region', { name: 'Approval of alpha' })
  expect(within(card).getByRole('list', { name: 'What it gains' }).textContent).toBe('more tools: Bash')
  const changes = within(card).getByRole('region', { name: 'Changes of alpha' })
  expect(changes.textContent).toContain('−tools: Read')
  expect(changes.textContent).toContain('+tools: Read, Bash')
  const approve = within(card).getByRole('button', { name: 'Approve this agent' })

  // Another program writes the file after the user has read it: the answer is not for that text.
  const { version } = world.disk.open(id)
  world.disk.changeOnDisk(id, agentText('alpha', 'tools: Read, Bash, Write\n'))
  act(() => approve.focus())
  await user.keyboard('{Enter}')
  expect(world.bridge.inputsOf('definition.approve')).toMatchObject([{ id, version }])
  await waitFor(() =>
    expect(screen.getByRole('list', { name: 'What it gains' }).textContent).toContain('Write'),
  )
  act(() => screen.getByRole('button', { name: 'Approve this agent' }).focus())
  await user.keyboard('{Enter}')
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Approval of alpha' })).toBeNull())
  expect(row(id).textContent).not.toContain('approve')
})
