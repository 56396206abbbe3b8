/** Notifies the user while the window is in the background: a notification, and a badge with the count. */
import { app, type BrowserWindow, Notification } from 'electron'
import { focusWindow } from './main-window.ts'

export interface Attention {
  notify(notice: { readonly title: string; readonly body: string; readonly needsYou: number }): void
}

export function createAttention(window: BrowserWindow): Attention {
  /** References keep the notifications: a collected one no longer answers clicks. */
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
      // A hidden window may still have the focus.
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

/** Sets the badge if the desktop has one; otherwise the window's button flashes. */
function setBadge(window: BrowserWindow, count: number): void {
  app.setBadgeCount(count)
  if (!window.isDestroyed()) window.flashFrame(count > 0)
}
