/** A file besides the program's own that decides a setting. */
export interface SettingOrigin {
  readonly file: string
  /** `overrides`: it counts before the program's own file. `default`: only because that file has no value. */
  readonly kind: 'overrides' | 'default'
}
