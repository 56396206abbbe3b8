/** What the place that is open says in the bar at the bottom of the window. */
import { useEffect } from 'react'
import { create } from 'zustand'

interface PlaceWords {
  /** At the left, before everything else. */
  readonly first: string | null
  /** At the right end. */
  readonly last: string | null
}

const NONE: PlaceWords = { first: null, last: null }

export const usePlaceWords = create<PlaceWords>()(() => NONE)

/** Says these words as long as the component is there. */
export function useWordsOfPlace(first: string | null, last: string | null): void {
  useEffect(() => usePlaceWords.setState({ first, last }), [first, last])
  useEffect(() => () => usePlaceWords.setState(NONE), [])
}
