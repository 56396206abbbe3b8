/** The permission rules of all files in the order in which they count. */
import { Check, CircleAlert, Lock, Pencil, X } from 'lucide-react'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { ListedEntry } from '../../../shared/rules/contract.ts'
import { type PermissionList, permissionLists } from '../../../shared/rules/written-rule.ts'
import { IconButton } from '../../ui/button.tsx'
import { FileLink } from '../../ui/setting-row.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { coverText, LIST_TEXT, RULE_SOURCE_TEXT } from './rule-text.ts'

interface RuleTableProps {
  readonly entries: readonly ListedEntry[]
  /** The rules that the last test named. */
  readonly named: ReadonlySet<string>
  readonly onEdit: (entry: ListedEntry) => void
  readonly onRemove: (entry: ListedEntry) => void
  readonly onApprove: (entry: ListedEntry) => void
}

export const entryKey = ({ list, where, text }: Pick<ListedEntry, 'list' | 'where' | 'text'>): string =>
  `${list} ${where} ${text}`

export function RuleTable({ entries, ...more }: RuleTableProps) {
  return (
    <div className="overflow-x-auto rounded-md border border-line">
      <table
        aria-label="Rules"
        className="w-full min-w-[40rem] table-fixed border-collapse text-left text-sm"
      >
        <colgroup>
          <col className="w-[27%]" />
          <col className="w-[26%]" />
          <col />
          <col className="w-20" />
        </colgroup>
        <thead className="text-fg-2 text-xs">
          <tr className="border-line border-b bg-bg-1">
            {['Rule', 'What it covers', 'Where it is from'].map((title) => (
              <th key={title} scope="col" className="px-3 py-1.5 font-normal">
                {title}
              </th>
            ))}
            <th scope="col">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        {permissionLists.map((list) => (
          <Group key={list} list={list} entries={entries.filter((entry) => entry.list === list)} {...more} />
        ))}
      </table>
    </div>
  )
}

function Group({ list, entries, ...more }: RuleTableProps & { readonly list: PermissionList }) {
  const always = list === 'ask' ? ALWAYS_ASKED : []
  if (entries.length + always.length === 0) return null
  const { title, hint } = LIST_TEXT[list]
  return (
    <tbody>
      <tr className="border-line border-b bg-bg-1">
        <th scope="rowgroup" colSpan={4} className="px-3 py-1 font-medium text-fg-0 text-xs">
          {title} <span className="font-normal text-fg-2">{`${entries.length} · ${hint}`}</span>
        </th>
      </tr>
      {entries.map((entry) => (
        <Line key={entryKey(entry)} entry={entry} {...more} />
      ))}
      {always.map(([name, covers]) => (
        <tr key={name} className="border-line border-b text-fg-1">
          <td className={classNames(CELL, 'text-fg-0')}>{name}</td>
          <td className={CELL}>{covers}</td>
          <td className={CELL}>
            <SourceMark>built in</SourceMark> <span className="text-fg-2 text-xs">always asked</span>
          </td>
          <td className="pr-2 text-right">
            <LockMark because="Troupe always asks about these. A rule for exactly one secret file allows reading that file." />
          </td>
        </tr>
      ))}
    </tbody>
  )
}

const CELL = 'px-3 py-1 align-top wrap-anywhere'

/** Not a rule of a file. See docs/using/permissions.md. */
const ALWAYS_ASKED = [
  ['Files that may contain secrets', 'reading .env, keys, ~/.ssh, browser profiles'],
  ['Files that decide what runs', 'writing .git, .claude, shell start-up files'],
  ['MergeWorktree', 'merging an agent’s worktree'],
] as const

function Line({
  entry,
  named,
  onEdit,
  onRemove,
  onApprove,
}: Omit<RuleTableProps, 'entries'> & { readonly entry: ListedEntry }) {
  const { text, unused, locked, source, list } = entry
  const isNamed = named.has(entryKey(entry))
  return (
    <tr
      data-named={isNamed || undefined}
      className={classNames(
        'border-line border-b',
        isNamed && (list === 'deny' ? 'bg-bad/10' : list === 'allow' ? 'bg-ok/10' : 'bg-bg-3'),
      )}
    >
      <td
        className={classNames(
          CELL,
          'font-mono text-xs leading-[1.7]',
          unused === null ? 'text-fg-0' : 'text-fg-2',
        )}
        data-selectable=""
      >
        <VisibleText>{text}</VisibleText>
      </td>
      <td className={classNames(CELL, 'text-fg-1')}>
        {unused === null ? (
          coverText(entry)
        ) : (
          <span className="flex gap-1.5">
            <CircleAlert size={13} strokeWidth={1.75} aria-hidden="true" className="mt-0.5 shrink-0" />
            <span className="min-w-0">
              <VisibleText>{unused}</VisibleText>
            </span>
          </span>
        )}
      </td>
      <td className={CELL}>
        <span className="flex flex-wrap items-center gap-1.5">
          <SourceMark>{RULE_SOURCE_TEXT[source]}</SourceMark>
          <RulePlace entry={entry} />
        </span>
      </td>
      <td className="whitespace-nowrap py-0.5 pr-2 text-right align-top">
        {locked === null ? (
          <>
            {entry.waits && (
              <IconButton label={`Approve ${text}`} icon={Check} onClick={() => onApprove(entry)} />
            )}
            <IconButton label={`Edit ${text}`} icon={Pencil} onClick={() => onEdit(entry)} />
            <IconButton label={`Remove ${text}`} icon={X} onClick={() => onRemove(entry)} />
          </>
        ) : (
          <LockMark because={locked} />
        )}
      </td>
    </tr>
  )
}

/** The file and the line of a rule, as a link; a rule of the command line has none. */
export function RulePlace({ entry: { file, line, where } }: { readonly entry: ListedEntry }) {
  return (
    <span className="font-mono text-fg-2 text-xs">
      {file === null ? (
        <VisibleText>{where}</VisibleText>
      ) : (
        <FileLink file={file} line={line} shown={makeVisible(where.replace(/:\d+$/, ''))} />
      )}
    </span>
  )
}

function SourceMark({ children }: { readonly children: string }) {
  return (
    <span className="whitespace-nowrap rounded-sm border border-line bg-bg-2 px-1.5 text-fg-1 text-xs leading-[1.0625rem]">
      {children}
    </span>
  )
}

function LockMark({ because }: { readonly because: string }) {
  return (
    <span title={because} className="inline-grid size-[22px] place-items-center text-fg-2">
      <Lock size={13} strokeWidth={1.75} aria-hidden="true" />
      <span className="sr-only">Locked. {because}</span>
    </span>
  )
}
