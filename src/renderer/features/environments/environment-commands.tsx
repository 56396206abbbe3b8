/** The commands of the folder that wait for the user: what runs, from which files, and what changed. */
import { ShieldQuestion } from 'lucide-react'
import { imageText } from '../../../shared/environments/environment.ts'
import type { FolderCommands } from '../../../shared/environments/environments.ts'
import { decideCommands } from '../../stores/environments-store.ts'
import { Button } from '../../ui/button.tsx'
import { count } from '../../ui/text/format.ts'

/** Nothing is shown where the user has decided. */
export function WaitingCommands({ found }: { readonly found: FolderCommands }) {
  const { approval, commands, hosts, scripts } = { ...found, hosts: found.commands.hosts }
  if (approval.state === 'invalid')
    return (
      <div
        role="alert"
        className="border-line border-b bg-bad/8 px-4 py-2.5 text-fg-0 text-sm"
        data-selectable=""
      >
        {found.problems.map((problem) => (
          <p key={problem}>{problem}</p>
        ))}
        <p className="text-fg-2">Nothing is run until the mistake is corrected.</p>
      </div>
    )
  if (approval.state !== 'new' && approval.state !== 'changed') return null
  const rows = [
    ...(commands.image === undefined ? [] : [['image', imageText(commands.image)] as const]),
    ...commands.setup.map((command) => ['set-up', command] as const),
    ...commands.run.map(({ name, command }) => [name, command] as const),
    ...commands.teardown.map((command) => ['tear-down', command] as const),
    ...hosts.map((host) => ['host', host] as const),
  ]
  const before = approval.state === 'changed' ? formerTexts(approval.former) : null
  return (
    <section
      aria-label="Commands that wait for you"
      className="grid max-h-[40%] grid-cols-[16px_minmax(0,1fr)_auto] gap-x-2.5 overflow-y-auto border-b border-b-needs-you/40 bg-needs-you/8 px-4 py-2.5 text-sm"
    >
      <ShieldQuestion size={14} strokeWidth={1.75} aria-hidden="true" className="mt-0.5 text-needs-you" />
      <div className="min-w-0">
        <p className="font-semibold text-fg-0">
          {approval.state === 'changed'
            ? 'The commands for worktrees have changed'
            : found.isProposed
              ? 'Proposed commands for worktrees'
              : 'Commands for worktrees'}
        </p>
        <p className="text-fg-1">
          From {found.sources.join(', ')}. They run in the sandbox.
          {scripts.length > 0 && ` They name ${count(scripts.length, 'script')}: ${scripts.join(', ')}.`}
        </p>
        <dl
          className="mt-1.5 grid grid-cols-[64px_minmax(0,1fr)] gap-x-2 font-mono text-xs"
          data-selectable=""
        >
          {rows.map(([label, text], at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a command may be there twice
            <div key={at} className="contents">
              <dt className="text-fg-2">{label}</dt>
              <dd className="whitespace-pre-wrap break-all text-fg-0">
                {text}
                {before !== null && !before.has(text) && <span className="text-needs-you"> new</span>}
              </dd>
            </div>
          ))}
        </dl>
      </div>
      <div className="flex gap-1.5">
        <Button onClick={() => void decideCommands('approved')}>Approve</Button>
        <Button onClick={() => void decideCommands('refused')}>Refuse</Button>
      </div>
    </section>
  )
}

/** All texts of what was approved before. */
function formerTexts(value: unknown): ReadonlySet<string> {
  if (typeof value === 'string') return new Set([value])
  if (typeof value !== 'object' || value === null) return new Set()
  return new Set(Object.values(value).flatMap((each) => [...formerTexts(each)]))
}
