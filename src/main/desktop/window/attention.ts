/** Notifies the user while the program is in the background: a notification, and a badge with the count. */
import { app, type BrowserWindow, Notification } from 'electron'

export interface Attention {
  /** Notifies unless `window` is in front; null: unless any window is. */
  notify(notice: AttentionNotice, window: BrowserWindow | null): void
  /** Removes notifications and badge when this window gets the focus. */
  follow(window: BrowserWindow): void
}

interface AttentionNotice {
  readonly title: string
  readonly body: string
  readonly needsYou: number
  /** Called when the user chooses the notification. */
  readonly open: () => void
}

/** @param windows all open windows */
export function createAttention(windows: () => readonly BrowserWindow[]): Attention {
  /** References keep the notifications: a collected one no longer answers clicks. */
  const shown = new Set<Notification>()
  // A hidden window may still have the focus.
  const isInFront = (window: BrowserWindow): boolean =>
    !window.isDestroyed() && window.isFocused() && window.isVisible()

  /** Sets the badge if the desktop has one; otherwise the windows' buttons flash. */
  const setBadge = (count: number): void => {
    app.setBadgeCount(count)
    for (const window of windows()) if (!window.isDestroyed()) window.flashFrame(count > 0)
  }
  const clear = (): void => {
    for (const notification of shown) notification.close()
    shown.clear()
    setBadge(0)
  }

  return {
    notify({ title, body, needsYou, open }, window) {
      if (window === null ? windows().some(isInFront) : isInFront(window)) return
      setBadge(needsYou)
      if (!Notification.isSupported()) return
      const notification = new Notification({ title, body })
      notification.on('click', open)
      notification.on('close', () => shown.delete(notification))
      notification.on('failed', () => shown.delete(notification))
      shown.add(notification)
      notification.show()
    },
    follow(window) {
      window.on('focus', clear)
    },
  }
}
