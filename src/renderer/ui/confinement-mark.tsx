/** Marks how a command runs, or would run, where there is a sandbox. */
import { Shield, ShieldCheck, ShieldOff } from 'lucide-react'
import type { Confinement } from '../../shared/permissions/confinement.ts'
import { Chip } from './chip.tsx'

const MARKS = {
  sandbox: { icon: ShieldCheck, text: 'in the sandbox', meaning: 'It can write only to its agent’s folder.' },
  'read-only': { icon: Shield, text: 'in the sandbox, read-only', meaning: 'It can change no file.' },
  outside: {
    icon: ShieldOff,
    text: 'outside the sandbox',
    meaning: 'It can change all that you can change, and reach the network.',
  },
} as const

/** A small icon for the end of a line. */
export function ConfinementMark({ confinement }: { readonly confinement: Confinement }) {
  const { icon: Icon, text, meaning } = MARKS[confinement]
  return (
    <span role="img" aria-label={text} title={`Ran ${text}. ${meaning.replace('can', 'could')}`}>
      <Icon
        size={11}
        strokeWidth={2}
        aria-hidden="true"
        className={confinement === 'outside' ? 'text-needs-you' : 'text-fg-3'}
      />
    </span>
  )
}

/** For a request: how the command would run. */
export function ConfinementChip({ confinement }: { readonly confinement: Confinement }) {
  const { icon, text, meaning } = MARKS[confinement]
  return (
    <Chip
      icon={icon}
      tone={confinement === 'outside' ? 'needs-you' : 'plain'}
      title={meaning}
      className="h-5! shrink-0 text-xs!"
    >
      {text}
    </Chip>
  )
}
