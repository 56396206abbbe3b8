/** All known external agents: what each is, and installing, updating, checking and removing it. */
import { Plus, RotateCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { ProgramCard } from './program-card.tsx'
import { loadPrograms, usePrograms } from './programs-store.ts'

interface ProgramsDialogProps {
  readonly open: boolean
  readonly onClose: () => void
  /** Opens the editor with a definition for a program that Troupe does not know. */
  readonly onCustom: () => void
}

export function ProgramsDialog({ open, onClose, onCustom }: ProgramsDialogProps) {
  const [isLooking, setLooking] = useState(false)
  const lookAgain = async () => {
    setLooking(true)
    await loadPrograms(true)
    setLooking(false)
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      width={620}
      title="External agents"
      description="Programs with their own models, tools and logins. Troupe starts them as agents beside its own."
      className="top-[9vh] max-h-[84vh]"
      actions={
        <>
          <Button
            size="md"
            onClick={() => {
              onClose()
              onCustom()
            }}
          >
            <Plus size={13} strokeWidth={1.75} aria-hidden="true" /> Custom…
          </Button>
          <Button
            size="md"
            disabled={isLooking}
            focusableWhenDisabled
            aria-busy={isLooking}
            onClick={() => void lookAgain()}
          >
            {isLooking ? <Spinner size={11} /> : <RotateCw size={13} strokeWidth={1.75} aria-hidden="true" />}
            Look again
          </Button>
          <Button size="md" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <Programs />
    </Dialog>
  )
}

function Programs() {
  const programs = usePrograms((state) => state.programs)
  const failure = usePrograms((state) => state.failure)
  useEffect(() => {
    void loadPrograms()
  }, [])
  if (failure !== null)
    return (
      <p role="alert" className="text-bad text-sm" data-selectable="">
        {failure}
      </p>
    )
  if (programs === null)
    return (
      <p className="flex items-center gap-2 text-fg-2 text-sm">
        <Spinner size={11} /> Looking for external agents…
      </p>
    )
  return (
    <ul className="flex flex-col gap-2" aria-label="Known external agents">
      {programs.map((program) => (
        <ProgramCard key={program.id} program={program} />
      ))}
    </ul>
  )
}
