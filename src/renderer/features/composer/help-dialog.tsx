import type { ReactNode } from 'react'
import { COMMANDS, type CommandGroup, FOCUS_KEYS } from '../../../shared/commands.ts'
import { ACTION_LABELS } from '../../stores/offered-actions.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { SLASH_COMMANDS } from './slash-commands.ts'

interface HelpLine {
  /** A key, a command or a prefix; unique in its section. */
  readonly sign: string
  readonly text: string
}

const GROUPS: readonly CommandGroup[] = ['Go to', 'Conversation', 'Agents', 'Window']

const PREFIXES: readonly HelpLine[] = [
  { sign: '@', text: 'an agent; at the start of a message: its recipient' },
  { sign: '#', text: 'a file of the folder; you can also drop files and paste images' },
  { sign: '/', text: 'a command, at the start of a message' },
]

/** Keys and commands, on one page. */
export function HelpDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Keys and commands" width={640}>
      <div className="grid grid-cols-2 gap-x-8 text-sm">
        <div className="flex flex-col gap-4">
          {GROUPS.map((group) => (
            <Section key={group} title={group} lines={keysOf(group)} render={(sign) => <Kbd keys={sign} />} />
          ))}
        </div>
        <div className="flex flex-col gap-4">
          <Section
            title="Commands"
            lines={SLASH_COMMANDS.map(({ name, hint }) => ({ sign: `/${name}`, text: hint }))}
            render={(sign) => <code className="font-mono text-xs">{sign}</code>}
          />
          <Section
            title="Prefixes"
            lines={PREFIXES}
            render={(sign) => <code className="font-mono text-xs">{sign}</code>}
          />
          <Section title="Focused agent" lines={agentKeys()} render={(sign) => <Kbd keys={sign} />} />
        </div>
      </div>
    </Dialog>
  )
}

function keysOf(group: CommandGroup): readonly HelpLine[] {
  return [...COMMANDS, ...FOCUS_KEYS].flatMap((entry) =>
    entry.group === group && entry.keys !== undefined ? [{ sign: entry.keys, text: entry.title }] : [],
  )
}

/** The keys while the panel of an agent, its tile or its row in the tree has the focus. */
function agentKeys(): readonly HelpLine[] {
  const labels = new Map<string, Set<string>>()
  for (const { keys, label } of Object.values(ACTION_LABELS))
    labels.set(keys, (labels.get(keys) ?? new Set()).add(label))
  return [
    { sign: 'Any letter', text: 'Message' },
    ...[...labels].map(([keys, texts]) => ({ sign: keys, text: [...texts].join(' / ') })),
  ]
}

interface SectionProps {
  readonly title: string
  readonly lines: readonly HelpLine[]
  readonly render: (sign: string) => ReactNode
}

function Section({ title, lines, render }: SectionProps) {
  return (
    <section aria-label={title}>
      <h3 className="side-heading pb-1.5">{title}</h3>
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-3 gap-y-1">
        {lines.map(({ sign, text }) => (
          <div key={sign} className="contents">
            <dt className="text-fg-0">{render(sign)}</dt>
            <dd className="text-fg-1">{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
