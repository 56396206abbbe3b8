/** Changed pictures before and after. */
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import type { PictureSide } from '../../../shared/worktrees/review.ts'
import {
  type MadeUpChange,
  madeUpWorktree,
  textChange,
} from '../../features/worktrees/testing/review-world.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { button, grid, prepareReview, showReview } from './testing/review-stage.tsx'

const user = userEvent.setup()
prepareReview()

const side = (type: PictureSide['type'], content: string, bytes = content.length): PictureSide => ({
  type,
  bytes,
  data: type === null ? null : btoa(content),
})
const picture = (path: string, before: PictureSide | null, after: PictureSide | null): MadeUpChange => ({
  path,
  text: { kind: 'binary', bytesBefore: before?.bytes ?? null, bytesAfter: after?.bytes ?? null },
  picture: { before, after },
})
/** Loaded changes are kept by id: each test has its own. */
const artist = (id: string, ...changes: readonly MadeUpChange[]) =>
  madeUpWorktree({ id, agentName: 'artist' }, { changes })
const pictures = (path: string) => screen.findByRole('region', { name: `Pictures of ${path}` })
const figures = async (path: string) => within(await pictures(path)).getAllByRole('figure')
const load = (image: HTMLElement, width: number, height: number) => {
  Object.defineProperties(image, { naturalWidth: { value: width }, naturalHeight: { value: height } })
  fireEvent.load(image)
}

test('a changed picture is shown before and after, with dimensions and size', async () => {
  const { bridge } = await showReview([
    artist('sides', picture('logo.png', side('image/png', 'old', 1200), side('image/webp', 'new', 3400))),
  ])
  const [before, after] = await figures('logo.png')
  const image = within(before as HTMLElement).getByRole('img', { name: 'Before' })
  expect(image.getAttribute('src')).toBe(`data:image/png;base64,${btoa('old')}`)
  load(image, 24, 16)
  expect(before?.textContent).toMatch(/^Before · 24 × 16 · 1\.2 /)
  const newer = within(after as HTMLElement).getByRole('img', { name: 'After' })
  expect(newer.getAttribute('src')).toBe(`data:image/webp;base64,${btoa('new')}`)
  load(newer, 48, 32)
  expect(after?.textContent).toMatch(/^After · 48 × 32 · 3\.[34] /)
  expect(bridge.inputsOf('review.picture')).toEqual([
    { folder: '/work/shop', id: 'sides', path: 'logo.png', range: null },
  ])
})

test('a side without a picture says why', async () => {
  await showReview([
    artist(
      'missing',
      picture('a.png', null, side('image/png', 'new')),
      picture('b.gif', side('image/gif', 'old'), null),
      picture('c.jpg', side(null, '', 11 * 1024 * 1024), side('image/jpeg', 'new')),
      picture('d.png', side(null, 'text'), side('image/png', 'broken')),
    ),
  ])
  expect((await figures('a.png'))[0]?.textContent).toBe('BeforeThe file was added.')
  await user.keyboard('{Enter}j')
  expect((await figures('b.gif'))[1]?.textContent).toBe('AfterThe file was deleted.')
  await user.keyboard('j')
  expect((await figures('c.jpg'))[0]?.textContent).toContain('Pictures over 10 MB are not shown.')
  await user.keyboard('j')
  const [before, after] = await figures('d.png')
  expect(before?.textContent).toContain('This side is not a picture.')
  fireEvent.error(within(after as HTMLElement).getByRole('img'))
  expect(after?.textContent).toContain('damaged or not supported')
  expect(within(after as HTMLElement).queryByRole('img')).toBeNull()
})

test('an SVG is shown as an image only, above the diff of its text', async () => {
  const old = '<svg width="16" height="16"><script>alert(1)</script></svg>'
  const now = '<svg viewBox="0 0 4 4"></svg>'
  await showReview([
    artist('svg', {
      ...textChange('icon.SVG', `${old}\n`, `${now}\n`),
      picture: { before: side('image/svg+xml', old), after: side('image/svg+xml', now) },
    }),
  ])
  const [before, after] = await figures('icon.SVG')
  const image = within(before as HTMLElement).getByRole('img')
  expect(image.tagName).toBe('IMG')
  expect(image.getAttribute('src')).toBe(`data:image/svg+xml;base64,${btoa(old)}`)
  expect(document.querySelector('script, svg script, object, embed, iframe')).toBeNull()
  load(image, 16, 16)
  expect(before?.textContent).toContain('16 × 16')
  // Without a width of its own, the dimensions would be the browser’s.
  load(within(after as HTMLElement).getByRole('img'), 300, 150)
  expect(after?.textContent).not.toContain('×')
  expect(grid().textContent).toContain('alert(1)')
})

test('a picture that changes again is shown anew; a failure can be retried', async () => {
  const { world } = await showReview([artist('again', picture('logo.png', null, side('image/png', 'one')))], {
    prepare: ({ refusals }) => refusals.set('review.picture', new Refusal('git did not answer.')),
  })
  expect(await screen.findByText('git did not answer.')).toBeTruthy()
  await user.click(button('Retry'))
  const source = () => screen.queryByRole('img', { name: 'After' })?.getAttribute('src')
  await waitFor(() => expect(source()).toContain(btoa('one')))
  act(() =>
    world.change(
      'again',
      { version: 'v2' },
      { changes: [picture('logo.png', null, side('image/png', 'two'))] },
    ),
  )
  await waitFor(() => expect(source()).toContain(btoa('two')))
})
