//! The type of a file by its bytes, whatever its sender declares.

use imagesize::ImageType;

/// The pictures that all browsers show and that run nothing.
const RASTER: [(&str, ImageType); 4] = [
    ("image/png", ImageType::Png),
    ("image/jpeg", ImageType::Jpeg),
    ("image/gif", ImageType::Gif),
    ("image/webp", ImageType::Webp),
];

/// The most pixels of a picture: shown, each takes four bytes.
const MAX_PIXELS: usize = 64_000_000;

/// The beginning of a PDF.
const PDF: &[u8] = b"%PDF-";

/// Returns true if a browser may show a file of this type that was [judged](judge).
pub(crate) fn is_raster(media_type: &str) -> bool {
    RASTER.iter().any(|(known, _)| *known == media_type)
}

/// The type of a file, which is declared or else known by its bytes.
///
/// # Errors
/// The reason why it is not taken, in words for its sender.
pub(crate) fn judge(declared: Option<&str>, bytes: &[u8]) -> Result<String, String> {
    if bytes.is_empty() {
        return Err("The file is empty.".to_owned());
    }
    let found = imagesize::image_type(bytes).ok();
    let raster = RASTER.iter().find(|(_, kind)| Some(*kind) == found).map(|(name, _)| *name);
    let known = raster.or_else(|| bytes.starts_with(PDF).then_some("application/pdf"));
    let media_type = declared.or(known).ok_or("The type of the file is not known; name it in `type`.")?;
    let is_one = match media_type {
        "application/pdf" => known == Some(media_type),
        "application/json" => is_text(bytes),
        text if text.starts_with("text/") => is_text(bytes),
        image if image.starts_with("image/") => raster == Some(image),
        _ => true,
    };
    if !is_one {
        return Err(format!("The file is no {media_type}."));
    }
    if raster == Some(media_type) {
        let size = imagesize::blob_size(bytes).map_err(|_| "The picture can't be read.".to_owned())?;
        if size.width.saturating_mul(size.height) > MAX_PIXELS {
            let (width, height) = (size.width, size.height);
            return Err(format!("The picture has {width} × {height} pixels; at most {MAX_PIXELS} are taken."));
        }
    }
    Ok(media_type.to_owned())
}

fn is_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok()
}
