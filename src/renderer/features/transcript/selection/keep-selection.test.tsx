import { act, cleanup } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { CodeBlock } from '../markdown/code-block.tsx'
import { StreamedText } from '../stream/streamed-text.tsx'
import { inTranscript } from '../testing/in-transcript.tsx'

afterEach(cleanup)

/** Selects a text in the element. */
function select(element: Element, text: string): void {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const at = node.nodeValue?.indexOf(text) ?? -1
    if (at === -1) continue
    getSelection()?.setBaseAndExtent(node, at, node, at + text.length)
    return
  }
  throw new Error(`"${text}" is not shown`)
}
/** The selected text, if it is in the page. */
const selected = () =>
  document.body.contains(getSelection()?.anchorNode ?? null) ? getSelection()?.toString() : null

test('a selection in streaming text stays while words arrive and when the text is finished', () => {
  const { container, redraw } = inTranscript(<StreamedText text="The key is made" growing />)
  select(container, 'key is made')
  for (const text of ['The key is made `for`', 'The **key** is made `for` each']) {
    redraw(<StreamedText text={text} growing />)
    expect(selected()).toBe('key is made')
  }
  redraw(<StreamedText text={'The **key** is made `for` each\n\n| a |\n|---|\n| b |'} growing={false} />)
  expect(selected()).toBe('key is made')
})

test('a selection in code stays when the code gets its colors', async () => {
  let answer: (message: object) => void = () => {}
  vi.stubGlobal(
    'Worker',
    class {
      onmessage: (event: object) => void = () => {}
      postMessage({ id }: { id: number }) {
        answer = (lines) => this.onmessage({ data: { id, lines } })
      }
    },
  )
  const { container } = inTranscript(<CodeBlock code={'const key = made(order)\nreturn key'} language="ts" />)
  select(container, 'key = made')
  await act(async () =>
    answer([
      [
        ['const', 2],
        [' key = ', 0],
        ['made', 4],
        ['(order)', 0],
      ],
      [
        ['return', 2],
        [' key', 0],
      ],
    ]),
  )
  expect(container.querySelectorAll('code span').length).toBeGreaterThan(2)
  expect(selected()).toBe('key = made')
})

test('a selection elsewhere is left alone', () => {
  const { container, redraw } = inTranscript(<StreamedText text="one" growing />)
  const outside = document.createElement('p')
  outside.textContent = 'outside'
  document.body.append(outside)
  select(outside, 'outside')
  const set = vi.spyOn(Selection.prototype, 'setBaseAndExtent')
  redraw(<StreamedText text="one **two**" growing />)
  expect(container.textContent).toContain('two')
  expect(set).not.toHaveBeenCalled()
  outside.remove()
})
