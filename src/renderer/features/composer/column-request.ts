/** Requests to the conversation column, from the palette and the composer: each is carried out once, when the column is there. */
import { useEffect } from 'react'
import { create } from 'zustand'

/** `save`: as a file; `about` is the file's name. */
export type ColumnRequest = 'find' | 'rename' | 'copy' | 'save'

interface RequestState {
  readonly request: ColumnRequest | null
  readonly about: string
}

const useRequest = create<RequestState>()(() => ({ request: null, about: '' }))

export function requestColumn(request: ColumnRequest, about = ''): void {
  useRequest.setState({ request, about })
}

/** Carries out a request of these kinds; `ready`: whether the part that carries it out is there. */
export function useColumnRequest(
  actions: { readonly [R in ColumnRequest]?: (about: string) => void },
  ready: boolean,
): void {
  const { request, about } = useRequest()
  const run = request === null ? undefined : actions[request]
  useEffect(() => {
    if (!ready || run === undefined) return
    useRequest.setState({ request: null, about: '' })
    run(about)
  })
}
