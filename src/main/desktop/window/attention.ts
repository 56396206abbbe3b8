/** Tells the user what happened while the window is not in front: a notification, and a badge with the count. */
import { app, type BrowserWindow, Notification } from 'electron'
import { focusWindow } from './main-window.ts'

export interface Attention {
  notify(notice: { readonly title: string; readonly body: string; readonly needsYou: number }): void
}

export function createAttention(window: BrowserWindow): Attention {
  /** Kept, since a notification that is collected no longer answers clicks. */
  const shown = new Set<Notification>()

  const clear = (): void => {
    for (const notification of shown) notification.close()
    shown.clear()
    setBadge(window, 0)
  }
  window.on('focus', clear)
  window.on('closed', clear)

  return {
    notify({ title, body, needsYou }) {
      // A window that is hidden may still have the focus.
      if (window.isDestroyed() || (window.isFocused() && window.isVisible())) return
      setBadge(window, needsYou)
      if (!Notification.isSupported()) return
      const notification = new Notification({ title, body })
      notification.on('click', () => {
        if (!window.isDestroyed()) focusWindow(window)
      })
      notification.on('close', () => shown.delete(notification))
      notification.on('failed', () => shown.delete(notification))
      shown.add(notification)
      notification.show()
    },
  }
}

/** The number where the desktop has a place for it; else the window's button asks for attention. */
function setBadge(window: BrowserWindow, count: number): void {
  app.setBadgeCount(count)
  if (!window.isDestroyed()) window.flashFrame(count > 0)
}
