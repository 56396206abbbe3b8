/**
 * The views of the window. One entry gives a view its button in the rail, its command, its key, its menu
 * item and its line in the help; `src/renderer/views/view-parts.tsx` adds the icon and the component.
 */

interface ViewEntry {
  readonly id: string
  readonly title: string
  readonly keys: string
  /** Other words that find the view in the palette. */
  readonly keywords: string
  /** The end of the rail that holds the button; `none`: Escape leads back to the view before. */
  readonly rail: 'top' | 'bottom' | 'none'
  readonly menu: 'view' | 'settings'
}

const ENTRIES = [
  {
    id: 'stage',
    title: 'Stage',
    keys: 'Mod 1',
    keywords: 'agents panels conversation',
    rail: 'top',
    menu: 'view',
  },
  { id: 'agents', title: 'Agents', keys: 'Mod 2', keywords: 'definitions edit', rail: 'top', menu: 'view' },
  {
    id: 'timeline',
    title: 'Timeline',
    keys: 'Mod 3',
    keywords: 'lanes spans gantt trace',
    rail: 'top',
    menu: 'view',
  },
  {
    id: 'review',
    title: 'Review',
    keys: 'Mod 4',
    keywords: 'worktrees diff merge branches',
    rail: 'top',
    menu: 'view',
  },
  {
    id: 'environments',
    title: 'Environments',
    keys: 'Mod 6',
    keywords: 'worktrees set-up setup servers ports run log',
    rail: 'top',
    menu: 'view',
  },
  {
    id: 'teams',
    title: 'Mailbox & teams',
    keys: 'Mod 5',
    keywords: 'messages workers tasks board',
    rail: 'top',
    menu: 'view',
  },
  {
    id: 'search',
    title: 'Search in conversations',
    keys: 'Mod Shift F',
    keywords: 'transcripts history said everything grep',
    rail: 'none',
    menu: 'view',
  },
  {
    id: 'conversations',
    title: 'All conversations',
    keys: 'Mod Shift H',
    keywords: 'history list archive pinned sessions chats',
    rail: 'none',
    menu: 'view',
  },
  {
    id: 'settings',
    title: 'Settings',
    keys: 'Mod ,',
    keywords: 'preferences key access',
    rail: 'bottom',
    menu: 'settings',
  },
] as const satisfies readonly ViewEntry[]

export type View = (typeof ENTRIES)[number]['id']

export interface ViewInfo extends ViewEntry {
  readonly id: View
}

/** In the order of the rail. */
export const VIEWS: readonly ViewInfo[] = ENTRIES
