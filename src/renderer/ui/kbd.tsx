import { isMac } from './platform.ts'

/** A key or chord: `<Kbd keys="Mod K" />` shows "Ctrl K", or "⌘K" on a Mac. Hidden from screen readers. */
export function Kbd({ keys }: { readonly keys: string }) {
  return (
    <span
      aria-hidden="true"
      className="rounded-[4px] border border-line px-1 font-medium font-mono text-2xs text-fg-2 whitespace-nowrap"
    >
      {shortcutText(keys)}
    </span>
  )
}

/** "Mod Shift P" as this platform writes it. */
export function shortcutText(keys: string): string {
  if (!isMac) return keys.replace('Mod', 'Ctrl')
  return keys
    .split(' ')
    .map((key) => MAC_KEYS[key] ?? key)
    .join('')
}

/** "Mod Shift P" as `aria-keyshortcuts` wants it. */
export function ariaShortcut(keys: string): string {
  return keys.replace('Mod', isMac ? 'Meta' : 'Control').replaceAll(' ', '+')
}

const MAC_KEYS: Readonly<Record<string, string>> = {
  Mod: '⌘',
  Ctrl: '⌃',
  Shift: '⇧',
  Alt: '⌥',
  Enter: '↩',
}
