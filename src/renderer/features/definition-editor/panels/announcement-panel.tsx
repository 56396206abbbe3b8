/** The line by which the main agent chooses, and what overrides what. */
import type { LibraryEntry } from '../../../../shared/agent-library.ts'
import { VisibleText } from '../../../ui/visible-text.tsx'
import { selectDefinition } from '../open-definition.ts'
import type { Announcement } from './announcement.ts'

export function AnnouncementPanel({ announcement }: { readonly announcement: Announcement }) {
  const { line, why, overrides, overriddenBy } = announcement
  return (
    <div className="grid gap-1.5">
      {line !== null && (
        <p data-selectable="" className="whitespace-pre-wrap break-words font-mono text-fg-1 text-xs">
          <VisibleText>{line}</VisibleText>
        </p>
      )}
      {why !== null && <p className="text-fg-1">{why}</p>}
      {overriddenBy !== null && (
        <p className="text-fg-2">
          overridden by <EntryLink entry={overriddenBy} />
        </p>
      )}
      {overrides.map((entry) => (
        <p key={entry.id} className="text-fg-2">
          overrides <EntryLink entry={entry} />
        </p>
      ))}
    </div>
  )
}

const WHOSE = {
  'built-in': 'built-in',
  plugin: 'plugin’s',
  user: 'user',
  project: 'project’s',
  'command-line': 'command line’s',
  managed: 'managed',
} as const

function EntryLink({ entry }: { readonly entry: LibraryEntry }) {
  return (
    <button
      type="button"
      title={entry.file ?? entry.path}
      onClick={() => void selectDefinition(entry.id)}
      className="inline rounded-xs text-left text-fg-1 underline decoration-line-strong underline-offset-2 hover:text-fg-0"
    >
      the {WHOSE[entry.source]} agent of the same name
    </button>
  )
}
