/** Conflicts resolved by hand in the window. */
import { act, cleanup, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import type { ReviewConflict } from '../../../shared/worktrees/review.ts'
import { madeUpWorktree, textChange } from '../../features/worktrees/testing/review-world.ts'
import { useDrafts } from '../../stores/draft-store.ts'
import { showReviewDialog } from '../../stores/review-store.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { drawReview, prepareReview, showReview } from './testing/review-stage.tsx'

const user = userEvent.setup()

const conflict = (more: Partial<ReviewConflict> & Pick<ReviewConflict, 'path'>): ReviewConflict => ({
  version: 'v1',
  text: null,
  base: { text: '' },
  ours: { text: 'o\n' },
  theirs: { text: 't\n' },
  because: 'both changed it',
  ...more,
})
const A = conflict({
  path: 'a.ts',
  text: [
    'top\n<<<<<<< main\no1\n=======\nt1\n>>>>>>> mine\n',
    'middle\n<<<<<<< main\no2\n=======\nt2\n>>>>>>> mine\n',
  ].join(''),
})
const GONE = conflict({ path: 'gone.ts', ours: null, because: 'deleted in main, changed here' })
const RENAMED = conflict({ path: 'old.ts', ours: null, theirs: null, because: 'renamed twice' })
const world = (conflicts: readonly ReviewConflict[]) =>
  madeUpWorktree(
    {
      id: 'one',
      agentName: 'helper',
      check: { kind: 'conflicts', files: conflicts.map(({ path }) => path) },
    },
    { changes: [textChange('a.ts', 'a\n', 'b\n')], conflicts: new Map([['', conflicts]]) },
  )

prepareReview()

async function showConflicts(conflicts: readonly ReviewConflict[]) {
  const shown = await showReview([world(conflicts)])
  await user.click(screen.getByRole('radio', { name: /^Conflicts/ }))
  await screen.findByRole('region', { name: 'With main' })
  return shown
}

const section = () => within(screen.getByRole('region', { name: 'With main' }))
const choice = (label: string) => within(section().getByRole('radiogroup', { name: label }))
const merge = () => section().getByRole('button', { name: 'Merge into main' })
const isDisabled = () => merge().getAttribute('aria-disabled') === 'true'

test('each conflict is resolved with a side, both or an edited text, then merged', async () => {
  const { bridge } = await showConflicts([A, GONE, RENAMED])
  expect(section().getByText('0 of 3 conflicts resolved')).toBeTruthy()
  expect(isDisabled()).toBe(true)
  expect(section().getByText('deleted in main, changed here')).toBeTruthy()
  await user.click(choice('Conflict 1 in a.ts').getByRole('radio', { name: 'Both' }))
  await user.click(choice('Conflict 2 in a.ts').getByRole('radio', { name: 'helper' }))
  await user.click(choice('Conflict 2 in a.ts').getByRole('radio', { name: 'Edit' }))
  const text = section().getByRole('textbox', { name: 'Text for conflict 2 in a.ts' })
  // Editing begins with the chosen side.
  expect((text as HTMLTextAreaElement).value).toBe('t2')
  await user.type(text, ' and o2')
  await user.click(choice('Conflict in gone.ts').getByRole('radio', { name: 'Delete (main)' }))
  expect(section().getByText('3 of 3 conflicts resolved')).toBeTruthy()
  await user.click(merge())
  expect(bridge.inputsOf('review.mergeResolved')).toEqual([
    {
      folder: '/work/shop',
      id: 'one',
      into: null,
      version: 'v1',
      message: null,
      files: [
        { path: 'a.ts', text: 'top\no1\nt1\nmiddle\nt2 and o2\n' },
        { path: 'gone.ts', use: 'ours' },
      ],
    },
  ])
  expect(
    (await screen.findAllByText('Merged helper into main with 2 resolved files.')).length,
  ).toBeGreaterThan(0)
  expect(useDrafts.getState().drafts['review-resolution:/work/shop:one:']?.text).toBe('')
})

test('a text with conflict markers is no resolution', async () => {
  await showConflicts([A])
  await user.click(section().getByRole('button', { name: 'All main' }))
  expect(isDisabled()).toBe(false)
  await user.click(choice('Conflict 1 in a.ts').getByRole('radio', { name: 'Edit' }))
  await user.type(section().getByRole('textbox', { name: /^Text for/ }), '{Enter}>>>>>>> mine')
  expect(section().getByRole('alert').textContent).toContain('Conflict markers are left.')
  expect(section().getByText('1 of 2 conflicts resolved')).toBeTruthy()
  expect(isDisabled()).toBe(true)
})

test('conflicts are resolved with keys alone', async () => {
  const { bridge } = await showConflicts([A, GONE])
  await user.keyboard('n')
  expect(document.activeElement?.closest('[role="radiogroup"]')?.getAttribute('aria-label')).toBe(
    'Conflict 1 in a.ts',
  )
  await user.keyboard(' n')
  expect(document.activeElement?.closest('[role="radiogroup"]')?.getAttribute('aria-label')).toBe(
    'Conflict 2 in a.ts',
  )
  await user.keyboard(' {ArrowRight}n')
  expect(document.activeElement?.closest('[role="radiogroup"]')?.getAttribute('aria-label')).toBe(
    'Conflict in gone.ts',
  )
  await user.keyboard(' ')
  merge().focus()
  await user.keyboard('{Enter}')
  expect(bridge.inputsOf('review.mergeResolved')[0]?.files).toEqual([
    { path: 'a.ts', text: 'top\no1\nmiddle\nt2\n' },
    { path: 'gone.ts', use: 'ours' },
  ])
})

test('choices survive a restart; a refused merge says why and loads the conflicts again', async () => {
  const { bridge, world: repository } = await showConflicts([A])
  await user.click(section().getByRole('button', { name: 'All helper' }))
  cleanup()
  showReviewDialog(null)
  await drawReview()
  await user.click(screen.getByRole('radio', { name: /^Conflicts/ }))
  expect(await section().findByText('2 of 2 conflicts resolved')).toBeTruthy()
  const before = bridge.inputsOf('review.conflicts').length
  repository.refusals.set(
    'review.mergeResolved',
    new Refusal('main got new commits. Nothing was merged.', 'moved'),
  )
  await user.click(merge())
  expect(section().getByRole('alert').textContent).toBe('main got new commits. Nothing was merged.')
  expect(bridge.inputsOf('review.conflicts').length).toBe(before + 1)
  expect(section().getByText('2 of 2 conflicts resolved')).toBeTruthy()
})

test('Edit resolves nothing until something is typed, and typed letters go into the text', async () => {
  await showConflicts([A])
  await user.click(choice('Conflict 1 in a.ts').getByRole('radio', { name: 'Edit' }))
  expect(section().getByText('0 of 2 conflicts resolved')).toBeTruthy()
  const text = section().getByRole<HTMLTextAreaElement>('textbox', { name: 'Text for conflict 1 in a.ts' })
  expect(document.activeElement).toBe(text)
  await user.keyboard('HAND')
  expect(text.value).toBe('o1\nt1HAND')
  expect(section().getByText('1 of 2 conflicts resolved')).toBeTruthy()
})

test('a typed text comes back after another side was chosen', async () => {
  await showConflicts([A])
  const first = choice('Conflict 1 in a.ts')
  await user.click(first.getByRole('radio', { name: 'Edit' }))
  await user.keyboard(' mine')
  await user.click(section().getByRole('button', { name: 'All main' }))
  expect(section().queryByRole('textbox', { name: /^Text for/ })).toBeNull()
  await user.click(first.getByRole('radio', { name: 'Edit' }))
  expect(section().getByRole<HTMLTextAreaElement>('textbox', { name: /^Text for/ }).value).toBe('o1\nt1 mine')
})

test('a text that was typed for a conflict stays when the branch moves, and can be used for the new conflict', async () => {
  const { world: repository } = await showConflicts([A])
  await user.click(choice('Conflict 1 in a.ts').getByRole('radio', { name: 'Edit' }))
  await user.keyboard(' mine')
  const moved = { ...A, version: 'v2', text: A.text?.replace('o1', 'o1 moved') ?? null }
  await act(async () => repository.change('one', { version: 'v2' }, { conflicts: new Map([['', [moved]]]) }))
  const left = within(await screen.findByRole('region', { name: 'Text you typed for a.ts' }))
  expect(left.getByText(/o1.*t1 mine/s)).toBeTruthy()
  await user.click(left.getByRole('button', { name: 'Use for conflict 1' }))
  expect(screen.queryByRole('region', { name: 'Text you typed for a.ts' })).toBeNull()
  expect(section().getByRole<HTMLTextAreaElement>('textbox', { name: /^Text for/ }).value).toBe('o1\nt1 mine')
  expect(section().getByText('1 of 2 conflicts resolved')).toBeTruthy()
})

const THREE = conflict({
  path: 'c.ts',
  base: { text: 'top\nold\nend\n' },
  ours: { text: 'top\nours\nend\n' },
  theirs: { text: 'top\ntheirs\nend\n' },
  text: 'top\n<<<<<<< main\nours\n||||||| base\nold\n=======\ntheirs\n>>>>>>> mine\nend\n',
})

test('a conflict shows the lines before both changes, both sides and the result, with line numbers', async () => {
  await showConflicts([THREE])
  const pane = (name: string) => section().getByRole('group', { name }).textContent
  const result = () => section().getByRole('region', { name: 'Result of conflict 1 in c.ts' }).textContent
  expect(pane('Base')).toContain('2−removedold')
  expect(pane('main')).toContain('2+addedours')
  expect(pane('helper')).toContain('2+addedtheirs')
  expect(result()).toContain('Choose a version, or edit the text.')
  await user.click(choice('Conflict 1 in c.ts').getByRole('radio', { name: 'Both' }))
  expect(result()).toMatch(/2.*ours3.*theirs/)
})

test('keys choose a version: 1 to 4, E edits, Escape leaves the text', async () => {
  const { bridge } = await showConflicts([THREE])
  const radio = (name: string) => choice('Conflict 1 in c.ts').getByRole('radio', { name })
  const isChosen = (name: string) => radio(name).getAttribute('aria-checked') === 'true'
  await user.keyboard('n2')
  expect(isChosen('helper')).toBe(true)
  await user.keyboard('3')
  expect(isChosen('Both')).toBe(true)
  await user.keyboard('4')
  expect(isChosen('Base')).toBe(true)
  await user.keyboard('9')
  expect(isChosen('Base')).toBe(true)
  await user.keyboard('e')
  const text = section().getByRole<HTMLTextAreaElement>('textbox', { name: 'Text for conflict 1 in c.ts' })
  expect(document.activeElement).toBe(text)
  expect(text.value).toBe('old')
  await user.keyboard('er 2{Escape}')
  expect(text.value).toBe('older 2')
  expect(document.activeElement).toBe(radio('Edit'))
  await user.keyboard('1')
  await user.click(merge())
  expect(bridge.inputsOf('review.mergeResolved')[0]?.files).toEqual([
    { path: 'c.ts', text: 'top\nours\nend\n' },
  ])
})

test('a deleted file shows what the other side changed', async () => {
  await showConflicts([{ ...THREE, text: null, ours: null, because: 'deleted in main, changed here' }])
  expect(section().getByRole('group', { name: 'main' }).textContent).toContain('The file was deleted.')
  expect(section().getByRole('group', { name: 'helper' }).textContent).toContain('+addedtheirs')
})

const subject = () => section().getByRole<HTMLInputElement>('textbox', { name: 'Commit subject' })
const body = () => section().getByRole<HTMLTextAreaElement>('textbox', { name: 'Commit body' })

test('the message of the merge is a proposal that the user can change, and what is typed stays', async () => {
  const { bridge } = await showConflicts([THREE])
  expect([subject().value, body().value]).toEqual([
    'Merge the work of helper',
    'Agent: helper\nBranch: troupe/one',
  ])
  await user.clear(subject())
  await user.type(subject(), 'Keep both keys')
  await user.clear(body())
  await user.click(choice('Conflict 1 in c.ts').getByRole('radio', { name: 'main' }))
  cleanup()
  await drawReview()
  await user.click(screen.getByRole('radio', { name: /^Conflicts/ }))
  await screen.findByRole('region', { name: 'With main' })
  expect([subject().value, body().value]).toEqual(['Keep both keys', ''])
  await user.click(merge())
  expect(bridge.inputsOf('review.mergeResolved')[0]?.message).toBe('Keep both keys')
  expect(useDrafts.getState().drafts['merge-message:/work/shop:one']?.text).toBe('')
})

test('a message without a subject, or a very long one, is not merged; the proposal comes back', async () => {
  await showConflicts([THREE])
  await user.click(choice('Conflict 1 in c.ts').getByRole('radio', { name: 'main' }))
  expect(isDisabled()).toBe(false)
  await user.clear(subject())
  expect(section().getAllByText(/A commit needs a subject\./).length).toBeGreaterThan(0)
  expect(isDisabled()).toBe(true)
  await user.click(section().getByRole('button', { name: 'Use proposal' }))
  expect(subject().value).toBe('Merge the work of helper')
  expect(isDisabled()).toBe(false)
  await user.click(body())
  await user.paste('x'.repeat(20_000))
  expect(section().getAllByText(/The commit message is \d+ characters too long\./).length).toBeGreaterThan(0)
  expect(isDisabled()).toBe(true)
  await user.click(section().getByRole('button', { name: 'Use proposal' }))
  await user.type(subject(), 'y'.repeat(60))
  expect(section().getByText(/Most tools cut a subject after 72\./)).toBeTruthy()
  expect(isDisabled()).toBe(false)
})

test('a pasted message of several lines becomes subject and body', async () => {
  await showConflicts([THREE])
  await user.clear(subject())
  await user.paste('Keep both keys\r\n\r\nThe order has one,\r\nand it is logged.\r\n')
  expect(subject().value).toBe('Keep both keys')
  expect(body().value).toMatch(/^The order has one,\nand it is logged\./)
})
