import type { ReactNode } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { SLASH_COMMANDS } from './slash-commands.ts'

const KEYS: readonly (readonly [string, string])[] = [
  ['Enter', 'Send'],
  ['Shift Enter', 'Break the line'],
  ['↑', 'Bring back what was sent before'],
  ['Esc', 'Back to the conversation; in it: stop the main agent, twice: all agents'],
  ['Mod .', 'Pause all agents after their step'],
  ['Mod Shift .', 'Continue all agents'],
  ['Mod K', 'Go to an agent, a conversation, a file, a command'],
  ['Mod N', 'New conversation'],
  ['Mod O', 'Open a folder'],
  ['Mod Shift P', 'Answer the questions that wait'],
  ['Mod F', 'Find in the panel that has the focus, else in the conversation'],
  ['Mod L', 'Go to the composer'],
  ['Mod 1', 'Stage'],
  ['Mod ,', 'Settings'],
]

/** While the panel of an agent, its tile or its row in the tree has the focus. */
const AGENT_KEYS: readonly (readonly [string, string])[] = [
  ['M', 'Write to it'],
  ['R', 'Pause it, or let it go on'],
  ['B', 'Move it to the background'],
  ['S', 'Stop it'],
]

const SIGNS: readonly (readonly [string, string])[] = [
  ['@', 'an agent: at the start of a message it speaks to one that is at work'],
  ['#', 'a file of the folder; files can also be dropped, images pasted'],
  ['/', 'a command, at the start of a message'],
]

/** Keys and commands, on one page. */
export function HelpDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Keys and commands" width={640}>
      <div className="grid grid-cols-2 gap-x-8 gap-y-4 text-sm">
        <section>
          <h3 className="side-heading pb-1.5">Keys</h3>
          <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-3 gap-y-1">
            {KEYS.map(([keys, words]) => (
              <Line key={keys} sign={<Kbd keys={keys} />} words={words} />
            ))}
          </dl>
        </section>
        <section>
          <h3 className="side-heading pb-1.5">Commands</h3>
          <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-3 gap-y-1">
            {SLASH_COMMANDS.map((command) => (
              <Line
                key={command.name}
                sign={<code className="font-mono text-xs">/{command.name}</code>}
                words={command.hint}
              />
            ))}
          </dl>
          <h3 className="side-heading pt-4 pb-1.5">Signs</h3>
          <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-3 gap-y-1">
            {SIGNS.map(([sign, words]) => (
              <Line key={sign} sign={<code className="font-mono text-xs">{sign}</code>} words={words} />
            ))}
          </dl>
          <h3 className="side-heading pt-4 pb-1.5">Keys of the agent that has the focus</h3>
          <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-3 gap-y-1">
            {AGENT_KEYS.map(([keys, words]) => (
              <Line key={keys} sign={<Kbd keys={keys} />} words={words} />
            ))}
          </dl>
        </section>
      </div>
    </Dialog>
  )
}

function Line({ sign, words }: { readonly sign: ReactNode; readonly words: string }) {
  return (
    <>
      <dt className="text-fg-0">{sign}</dt>
      <dd className="text-fg-1">{words}</dd>
    </>
  )
}
