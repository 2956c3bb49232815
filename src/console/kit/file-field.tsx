import { useId } from 'preact/hooks'

interface FileFieldProps {
  label: string
  accept: string
  onFile: (file: File) => void
}

/** Hands over a file as soon as it is chosen; the same one may be chosen again. */
export function FileField({ label, accept, onFile }: FileFieldProps) {
  const id = useId()
  return (
    <span class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept={accept}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file) onFile(file)
          currentTarget.value = ''
        }}
      />
    </span>
  )
}
