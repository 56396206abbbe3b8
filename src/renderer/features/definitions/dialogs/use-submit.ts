/** Submits a dialog's form: one submission at a time; a failure stays until the form changes. */
import { type FormEvent, useState } from 'react'
import type { Answer } from '../../../../shared/ipc/ipc-contract.ts'

interface SubmitOptions {
  /** False disables submitting; the form shows the reason. */
  readonly isValid: boolean
  readonly work: () => Promise<Answer<unknown>>
  readonly onDone: () => void
}

interface Submit {
  readonly failure: string | null
  readonly canSend: boolean
  readonly onSubmit: (event: FormEvent) => void
  /** Clears the failure after the form changed. */
  readonly clearFailure: () => void
}

export function useSubmit({ isValid, work, onDone }: SubmitOptions): Submit {
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const canSend = isValid && !isBusy
  const send = async () => {
    setBusy(true)
    const answer = await work()
    setBusy(false)
    if (answer.ok) onDone()
    else setFailure(answer.failure.message)
  }
  return {
    failure,
    canSend,
    onSubmit: (event) => {
      event.preventDefault()
      if (canSend) void send()
    },
    clearFailure: () => setFailure(null),
  }
}
