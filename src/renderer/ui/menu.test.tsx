import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { ContextMenu, MenuItem } from './menu.tsx'
import { Tooltip } from './popover.tsx'

afterEach(cleanup)

const item = () => screen.findByRole('menuitem', { name: 'Copy' })

test('a right click opens the menu, Escape closes it, and the next click opens it again', async () => {
  const copy = vi.fn()
  render(
    <ContextMenu area={<button type="button">row</button>}>
      <MenuItem onSelect={copy}>Copy</MenuItem>
    </ContextMenu>,
  )
  const row = screen.getByRole('button', { name: 'row' })
  fireEvent.contextMenu(row)
  await item()
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('menuitem')).toBeNull())
  expect(screen.getByRole('button', { name: 'row' })).toBe(row)
  fireEvent.contextMenu(row)
  await userEvent.click(await item())
  expect(copy).toHaveBeenCalledTimes(1)
})

test('an element with a tooltip can have a menu, too', async () => {
  render(
    <ContextMenu
      area={
        <Tooltip text="What it is">
          <button type="button">row</button>
        </Tooltip>
      }
    >
      <MenuItem onSelect={() => {}}>Copy</MenuItem>
    </ContextMenu>,
  )
  fireEvent.contextMenu(screen.getByRole('button', { name: 'row' }))
  expect(await item()).toBeTruthy()
})
