/** The command that a dialog runs: whether it is running, and why it failed. */
import { useEffect, useRef, useState } from 'react'
import type { Answer } from '../../../../shared/ipc/ipc-contract.ts'
import { showFailure } from '../../../stores/overlay-store.ts'

interface CommandFailure {
  readonly type: string
  readonly message: string
}

interface DialogCommand {
  readonly busy: boolean
  readonly failure: CommandFailure | null
  readonly clearFailure: () => void
  /** Returns null when the dialog closed before the answer; a failure is then shown as a notice. */
  readonly run: <T>(work: () => Promise<Answer<T>>) => Promise<Answer<T> | null>
}

export function useDialogCommand(): DialogCommand {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<CommandFailure | null>(null)
  const open = useRef(false)
  useEffect(() => {
    open.current = true
    return () => {
      open.current = false
    }
  }, [])
  return {
    busy,
    failure,
    clearFailure: () => setFailure(null),
    run: async (work) => {
      setBusy(true)
      setFailure(null)
      const answer = await work()
      if (!open.current) {
        if (!answer.ok) showFailure(answer.failure)
        return null
      }
      setBusy(false)
      if (!answer.ok) setFailure(answer.failure)
      return answer
    },
  }
}
