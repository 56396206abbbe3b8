import { expect, test, vi } from 'vitest'

test('a change of the selection is announced after the code that made it', async () => {
  const changed = vi.fn()
  document.addEventListener('selectionchange', changed)
  document.body.textContent = 'text'
  getSelection()?.collapse(document.body, 0)
  expect(changed).not.toHaveBeenCalled()
  await Promise.resolve()
  expect(changed).toHaveBeenCalledOnce()
})
